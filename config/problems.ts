// What is wrong with variables that are right one by one, and not together.
import { bucketProblems } from "./bucket.ts";
import { type Environment, isOnDeploy, isProduction, secretVariables } from "./environment.ts";
import type { Variant } from "./variants.ts";

/** RFC 7518 section 3.2: a key for HS256 has at least 256 bits. */
const MIN_SECRET_LENGTH = 32;

const NO_ROOT = "API_URL: the pages are at the root, expected a path such as /api";

/**
 * @param env The variables that are set, by the names that the schema has for them.
 * @param basePath What API_URL says; undefined where it cannot be used.
 */
export function problemsTogether(
  env: Environment,
  variant: Variant,
  basePath: string | undefined,
): string[] {
  return [
    ...secretProblems(variant, env),
    ...unboundProblems(env),
    ...linkProblems(env),
    ...providerProblems(env),
    ...snippetOriginProblems(env, variant),
    ...passkeyProblems(env),
    ...bucketProblems(env),
    ...(variant.cookies && basePath === "" ? [NO_ROOT] : []),
  ];
}

/** What strangers share must not be served from where people sign in, and nothing else is served from its origin. */
function snippetOriginProblems(env: Environment, { port }: Variant): string[] {
  const origin = URL.parse(env.SNIPPET_ORIGIN ?? "")?.origin;
  const publicUrl = env.PUBLIC_URL ?? `http://localhost:${env.PORT ?? port}`;
  if (origin === undefined || origin !== URL.parse(publicUrl)?.origin) return [];
  return [
    "SNIPPET_ORIGIN: expected another origin than PUBLIC_URL. Example: SNIPPET_ORIGIN=https://snippets.example.com",
  ];
}

/** Browsers know no other passkeys than those of the domain they are at, or of one above it. */
function passkeyProblems({ PASSKEY_DOMAIN: domain, PUBLIC_URL, FRONTEND_URL }: Environment) {
  if (domain === undefined) return [];
  const hosts = [PUBLIC_URL ?? "http://localhost", FRONTEND_URL].map((url) =>
    URL.parse(url ?? "")?.hostname
  );
  const outside = hosts.find((host) => host && host !== domain && !host.endsWith(`.${domain}`));
  if (outside === undefined) return [];
  return [`PASSKEY_DOMAIN: expected ${outside} or a domain above it, received '${domain}'`];
}

/** Elsewhere Deno would keep the data in its cache. */
function unboundProblems(env: Environment): string[] {
  if (env.DATABASE_URL !== "kv:" || isOnDeploy(env)) return [];
  return [
    "DATABASE_URL: only on Deno Deploy kv: has a database. Example: DATABASE_URL=kv:data/quarterdeck.kv",
  ];
}

/** Links in mails must not lead to the reader's own machine. */
function linkProblems(env: Environment): string[] {
  if (!isProduction(env) || env.SMTP_URL === undefined) return [];
  if (env.PUBLIC_URL !== undefined || env.FRONTEND_URL !== undefined) return [];
  return [
    "PUBLIC_URL: it is required with SMTP_URL in production. Example: PUBLIC_URL=https://admin.example.com",
  ];
}

/** Providers send people back to an address that is registered with them. */
function providerProblems(env: Environment): string[] {
  if (!isProduction(env) || env.OIDC_PROVIDERS === undefined || env.PUBLIC_URL !== undefined) {
    return [];
  }
  return [
    "PUBLIC_URL: it is required with OIDC_PROVIDERS in production. Example: PUBLIC_URL=https://admin.example.com",
  ];
}

function secretProblems(variant: Variant, env: Environment): string[] {
  const strict = variant.strictSecrets || isProduction(env);
  const names = secretVariables(variant);
  const problems = names.flatMap((name) => {
    const secret = env[name];
    if (secret === undefined) {
      return [`${name}: it is required. Example: ${name}=$(openssl rand -hex 32)`];
    }
    if (strict && secret.length < MIN_SECRET_LENGTH) {
      return [
        `${name}: expected at least ${MIN_SECRET_LENGTH} characters, received ${secret.length}. Example: ${name}=$(openssl rand -hex 32)`,
      ];
    }
    return [];
  });
  const [access, refresh] = names.map((name) => env[name]);
  if (strict && access !== undefined && access === refresh) {
    problems.push(
      `${names[1]}: it must differ from ${names[0]}. Example: ${names[1]}=$(openssl rand -hex 32)`,
    );
  }
  return problems;
}
