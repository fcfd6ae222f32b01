// The providers that people may sign in by (OpenID Connect), as the variable OIDC_PROVIDERS names them.
import { z } from "zod";

/** A provider; only what the server itself has to know of it. The rest the provider tells (discovery). */
export interface ProviderSettings {
  /** Names the provider in paths. */
  readonly name: string;
  /** Exactly as the provider calls itself in its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for public clients, which PKCE alone protects. */
  readonly clientSecret?: string;
  /** What people call it. @default the name */
  readonly label: string;
  /** Of accounts that a first sign-in makes. @default "user" */
  readonly defaultRole: string;
  /** Only people with an address in one of these sign in by it. Lower case. @default any */
  readonly allowedDomains: readonly string[];
  /** Whether a first sign-in makes an account. @default false */
  readonly signUp: boolean;
  /** Whether addresses count as proven though the provider does not say so. @default false */
  readonly trustEmail: boolean;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** OpenID Connect Core, section 2: an https URL without query and fragment. On this machine http will do, for tests. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[?#\s]/.test(text) || url.username !== "") return false;
  return url.protocol === "https:" || url.protocol === "http:" && LOOPBACK.has(url.hostname);
}

const text = (max: number) => z.string().trim().min(1).max(max);

const provider = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,32}$/, "lower-case letters, digits and hyphens"),
  issuer: z.string().max(500).refine(isIssuer, "a URL such as https://id.example.com"),
  clientId: text(500),
  clientSecret: text(500).optional(),
  label: text(100).optional(),
  defaultRole: text(100).default("user")
    .refine((role) => role !== "super_admin", "another role than super_admin"),
  allowedDomains: z.array(
    z.string().toLowerCase().regex(/^[\p{L}\d.-]+\.[\p{L}\d-]+$/u, "domains such as example.com"),
  ).default([]),
  signUp: z.boolean().default(false),
  trustEmail: z.boolean().default(false),
}).transform((given): ProviderSettings => ({ ...given, label: given.label ?? given.name }));

const EXAMPLE =
  `[{"name":"company","issuer":"https://id.example.com","clientId":"quarterdeck","clientSecret":"…"}]`;

/** The variable as it is read. Messages do not repeat the value, which holds secrets. */
export const providersVariable = z.string().default("[]").transform((json, context) => {
  const refuse = (problem: string) => {
    const message = `${problem}. Example: OIDC_PROVIDERS='${EXAMPLE}'`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    return refuse("expected a JSON array of providers");
  }
  const { data, error } = z.array(provider).max(50).safeParse(given);
  const [issue] = error?.issues ?? [];
  if (issue) return refuse(`expected at ${issue.path.join(".") || "the top"} ${wanted(issue)}`);
  const names = data!.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? data! : refuse(`name: '${twice}' is given twice`);
});

/** In our words, not in those of the schema. */
function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "unrecognized_keys":
      return `no field '${issue.keys.join("', '")}'`;
    case "too_small":
      return "a text";
    case "too_big":
      return `at most ${issue.maximum} ${issue.origin === "array" ? "providers" : "characters"}`;
    default:
      return issue.message;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};
