// Holds real answers to the finished API document: their status, their media type and their whole body.
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Settings } from "../config/settings.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { fullPath } from "../http/endpoint.ts";
import { openApiDocument } from "../http/openapi.ts";
import type { Json } from "../http/openapi/schemas.ts";
import { mayBeMinimal } from "../http/preferences.ts";

/** What was asked, and what came, as far as the document has a word in it. */
export interface Exchange {
  /** In capitals. */
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly sent: Headers;
  readonly status: number;
  readonly received: Headers;
  readonly text: string;
  /** The JSON, if it is any. */
  readonly body: unknown;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

/** One operation, as the document has it. */
interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
  /** The document that its references lead into. */
  readonly components: Json;
  /** By status and media type; of chosen fields apart. */
  readonly compiled: Map<string, ValidateFunction>;
}

/** Each operation once in a process: to describe and compile all of them takes longer than most tests. */
const operations = new Map<string, Operation>();

/** A document of this one operation: tests/http/openapi_test.ts holds that the whole one says the same of it. */
function operationOf(endpoint: Endpoint, { variant, basePath }: Settings): Operation {
  const path = fullPath(endpoint, basePath);
  const key = [variant.name, basePath, endpoint.operationId].join(" ");
  let operation = operations.get(key);
  if (!operation) {
    const document = openApiDocument([endpoint], { basePath, variant });
    const { paths, components } = document as { paths: Json; components: Json };
    const { responses } = (paths as Record<string, Record<string, Operation>>)[path]![
      endpoint.method
    ]!;
    operation = { responses: inPlace(responses, components), components, compiled: new Map() };
    operations.set(key, operation);
  }
  return operation;
}

/** The responses, with the shared ones in place of the references to them. */
function inPlace(responses: Operation["responses"], components: Json): Operation["responses"] {
  const shared = components.responses as Operation["responses"];
  const entries = Object.entries(responses).map(([status, response]) => {
    const { $ref } = response as { readonly $ref?: string };
    return [status, $ref ? shared[$ref.slice("#/components/responses/".length)] : response];
  });
  return Object.fromEntries(entries);
}

/** The media types of errors. */
const ERRORS = ["application/json", "application/problem+json"];

/** @throws {AssertionError} Where the document describes another error than the one that came. */
export function assertErrorDocumented(endpoint: Endpoint, settings: Settings, of: Exchange): void {
  const type = of.received.get("content-type")?.split(";")[0] ?? "";
  if (!ERRORS.includes(type) || of.method === "HEAD") return;
  const operation = operationOf(endpoint, settings);
  const known = operation.responses[of.status]?.content?.[type];
  assert.ok(known, `${of.method} ${of.path}: ${of.status} is not documented as ${type}`);
  assertFits(operation, `${of.status} ${type}`, known.schema, { ...of, body: JSON.parse(of.text) });
}

/** @throws {AssertionError} Where the document says another thing than what came. */
export function assertDocumented(endpoint: Endpoint, settings: Settings, of: Exchange): void {
  const { status, sent } = of;
  // What only those get who ask for it: the document tells of it where it begins.
  if (status === 304) return assert.ok(sent.has("if-none-match"), `304 to ${of.path} unasked`);
  if (status === 204) return assertMinimal(endpoint, of);
  const operation = operationOf(endpoint, settings);
  const told = operation.responses[status];
  const at = `${of.method} ${of.path}: ${status}`;
  // Whichever path is asked for: a page's cookie that is no good any more leads to the log-in page.
  if (!told && status === 302 && settings.variant.cookies) return assert.ok(sent.has("cookie"), at);
  assert.ok(told, `${at} is not in the document`);
  if (!told.content || (sent.has("prefer") && of.text === "")) {
    return assert.equal(of.text, "", `${at} has a body`);
  }
  const type = of.received.get("content-type")!.split(";")[0]!;
  const known = told.content[type] ?? told.content["*/*"];
  assert.ok(known, `${at} is documented as ${Object.keys(told.content)}, not as ${type}`);
  if (type !== "application/json" || isBare(of)) return;
  assertFits(operation, `${status} ${type}`, known.schema, of);
}

/** `Prefer: return=minimal`: the parameter `Prefer` tells of it. */
function assertMinimal(endpoint: Endpoint, { path, sent, text }: Exchange): void {
  assert.match(sent.get("prefer") ?? "", /minimal/, `204 to ${path} unasked`);
  assert.ok(mayBeMinimal(endpoint) && text === "", path);
}

/** The document is about answers in the envelope. */
function isBare({ path, sent }: Exchange): boolean {
  return /\/rest\/|[?&]envelope=false/.test(path) ||
    (sent.get("accept")?.includes("envelope=false") ?? false);
}

function assertFits(operation: Operation, name: string, schema: Json, of: Exchange): void {
  const chosen = /[?&]fields=/.test(of.path);
  const key = chosen ? `${name} of chosen fields` : name;
  let fits = operation.compiled.get(key);
  if (!fits) {
    const whole = withReferred(schema, operation.components);
    fits = compiledOf(JSON.stringify(chosen ? withoutRequired(whole) : whole));
    operation.compiled.set(key, fits);
  }
  const problems = fits(of.body) ? "" : validator().errorsText(fits.errors);
  assert.equal(problems, "", `${of.method} ${of.path} is documented otherwise: ${of.text}`);
  if (!schema.properties) return;
  const undocumented = Object.keys(of.body as Json).filter((field) =>
    !Object.hasOwn(schema.properties as Json, field)
  );
  assert.deepEqual(undocumented, [], `${of.method} ${of.path} documents no such fields`);
}

/** What is left of a record when fields are chosen is no whole one. */
function withoutRequired(schema: Json): Json {
  const text = JSON.stringify(
    schema,
    (name, value) => name === "required" && Array.isArray(value) ? undefined : value,
  );
  return JSON.parse(text);
}

/** A schema with those of the components that it refers to: of errors, and of one record, they are the same everywhere. */
function withReferred(schema: Json, components: Json): Json {
  const all = components.schemas as Readonly<Record<string, Json>>;
  const schemas: Record<string, Json> = {};
  const follow = (of: Json) => {
    for (const [, name] of JSON.stringify(of).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (schemas[name!]) continue;
      schemas[name!] = all[name!]!;
      follow(all[name!]!);
    }
  };
  follow(schema);
  return { ...schema, components: { schemas } };
}

/** By the text of their schemas. */
const compiled = new Map<string, ValidateFunction>();

function compiledOf(text: string): ValidateFunction {
  const fits = compiled.get(text) ?? validator().compile(JSON.parse(text));
  compiled.set(text, fits);
  return fits;
}

let ajv: Ajv2020 | undefined;

/** Formats are held too, and words that JSON Schema does not know are errors of the document. */
function validator(): Ajv2020 {
  if (ajv) return ajv;
  ajv = new Ajv2020({
    // That the document is valid is tested apart; to load the schema of schemas takes each test file 0.1 s.
    meta: false,
    validateSchema: false,
    strictRequired: false,
    allowUnionTypes: true,
    addUsedSchema: false,
  });
  formats.default(ajv);
  ajv.addVocabulary(["components", "example"]);
  return ajv;
}
