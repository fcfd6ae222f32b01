// Several requests in one: in one commit, or one by one.
import {
  ApiError,
  conflict,
  type FieldError,
  invalidFields,
  notFoundHere,
} from "../../core/errors.ts";
import { type Asked, BatchRefused, commitTogether } from "../../http/batch.ts";
import {
  type Call,
  commitsOf,
  type Endpoint,
  endpoint,
  type InnerAnswer,
  type InnerRequest,
  type Inside,
} from "../../http/endpoint.ts";
import { errorBody } from "../../http/failures.ts";
import { nextTurn } from "../../core/delay.ts";
import { languageOf } from "../../http/language.ts";
import type { Language } from "../../http/texts/texts.ts";
import { sha256 } from "../../core/hashing.ts";
import type { Variant } from "../../config/variants.ts";
import { jsonArray, JsonText } from "../../core/json.ts";
import { MIB } from "../../core/units.ts";
import {
  batchRequest,
  batchResult,
  type Operation,
  OPERATION_HEADERS,
} from "../../models/batch.ts";
import { z } from "zod";

import { referencesOf, referredTo, withIds } from "./batch_references.ts";

const tag = "Operations";

/** Characters that the answers of a batch may have together. */
const MAX_ANSWER = 8 * MIB;
/** Problems that are named at most. */
const MAX_NAMED = 20;
/** Headers of an answer that its result repeats. */
const SHOWN_HEADERS = ["ETag", "Location", "Retry-After", "Idempotency-Replayed"];
/** The entity tag of what a later operation has removed. */
const NO_VERSION = '""';
const TOO_LONG =
  `The answers of the batch are over ${MAX_ANSWER} characters: ask for this one alone`;

const run = endpoint({
  operationId: "runBatch",
  method: "post",
  path: "/batch",
  tag,
  summary: "Several requests in one",
  description:
    "Up to 100 operations on any route, each with the rights, limits and quotas of a request of its own. By default " +
    "they are atomic: all are committed at once, or none, and each sees what those before it change; what only reads " +
    "is read after the commit. `$0` in a path, or `$name` with the `id` of an operation, stands for the id of the record " +
    'that it makes, and so does `{"$ref": "0"}` as a value in a body. When one fails, the answer is its error, and `operation` says which it was. With ' +
    "`atomic: false` they run one by one, each with its own status, and a failure stops none of the others. Uploads, " +
    "downloads, streams, and what hands out credentials take a request of their own; so do, where the batch is " +
    "atomic, what makes or ends credentials, and deletions that may take more than one commit.",
  access: "authenticated",
  body: batchRequest,
  bodyLimit: 2 * MIB,
  data: z.array(batchResult),
  errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "PRECONDITION_FAILED"],
  commits: "apart",
  async handle(call) {
    const { operations, atomic } = call.body;
    const results = atomic ? await runAtomic(call, operations) : await runEach(call, operations);
    const done = results.filter(({ status }) => status < 400).length;
    return {
      data: jsonArray(results.map(({ json }) => json)),
      message: `${done} of ${operations.length} operations are done`,
    };
  },
});

export const batchRoutes = [run];

type Told = Pick<InnerAnswer, "status" | "headers" | "text">;

interface Result {
  readonly status: number;
  readonly json: JsonText;
}

async function runAtomic(call: Call, operations: readonly Operation[]): Promise<Result[]> {
  const asked = askedTogether(call.inside, operations);
  const results = new Results(call.services.settings.variant, languageOf(call.context));
  try {
    let n = 0;
    for await (const answer of await commitTogether(call, asked)) {
      const { endpoint } = asked[n]!;
      const commits = commitsOf(endpoint);
      const told = commits === "never" ? answer : done(endpoint, answer);
      results.add(operations[n++]!, told, commits);
    }
  } catch (thrown) {
    if (!(thrown instanceof BatchRefused)) throw thrown;
    throw refused(thrown, operations);
  }
  return results.all;
}

/**
 * The operations with their endpoints.
 *
 * @throws {ApiError} VALIDATION_ERROR that names each which cannot stand in an atomic batch.
 */
function askedTogether(inside: Inside, operations: readonly Operation[]): Asked[] {
  const problems: FieldError[] = [];
  const asked = operations.flatMap((operation, n) => {
    const endpoint = inside.endpointAt(operation.method, operation.path);
    const found = problemsOf(operation, endpoint);
    if (found.length === 0 && endpoint && isApart(endpoint)) {
      found.push({
        field: "path",
        message: "takes a request of its own, or a batch that is not atomic",
      });
    }
    if (headersOf(operation)["idempotency-key"] !== undefined) {
      found.push({ field: "headers", message: "the batch itself takes the Idempotency-Key" });
    }
    for (const name of referencesOf(operation)) {
      const to = operations[referredTo(operations, n, name)];
      if (to && inside.endpointAt(to.method, to.path)?.makes) continue;
      found.push({
        field: "path",
        message: `refers to '${name}', which makes no record before it`,
      });
    }
    for (const { field, message } of found) {
      problems.push({ field: `operations.${n}.${field}`, message });
    }
    const request = (idOf: (n: number) => string) =>
      requestOf(operation, (name) => idOf(referredTo(operations, n, name)));
    return endpoint ? { endpoint, request } : [];
  });
  if (problems.length > 0) throw invalidFields(problems.slice(0, MAX_NAMED));
  return asked;
}

/** What keeps an operation out of any batch. */
function problemsOf(operation: Operation, endpoint: Endpoint | null): FieldError[] {
  const found: FieldError[] = [];
  const why = endpoint ? outsideOf(endpoint) : "is no path of the API that takes this method";
  if (why !== null) found.push({ field: "path", message: why });
  if (operation.method === "GET" && operation.body !== undefined) {
    found.push({ field: "body", message: "a GET has none" });
  }
  for (const name of Object.keys(headersOf(operation))) {
    if (OPERATION_HEADERS.includes(name)) continue;
    found.push({ field: "headers", message: `an operation takes no ${name}` });
  }
  return found;
}

/** Whether it cannot share a commit with others. */
function isApart(endpoint: Endpoint): boolean {
  return commitsOf(endpoint) === "apart" || endpoint.ownSession === true;
}

/** Why an endpoint takes a request of its own; null where it does not. */
function outsideOf({ operationId, upload, raw, redirects, secret }: Endpoint): string | null {
  if (operationId === run.operationId) return "is a batch itself";
  if (upload) return "takes a file, and so a request of its own";
  if (raw || redirects) return "gives no JSON, and so takes a request of its own";
  if (secret) return "gives what is never kept, and so takes a request of its own";
  return null;
}

function headersOf({ headers = {} }: Operation): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** @param idOf The id of a record that an earlier operation makes, by its reference. */
function requestOf(operation: Operation, idOf: (name: string) => string): InnerRequest {
  const { method } = operation;
  return { method, ...withIds(operation, idOf), headers: headersOf(operation) };
}

/** The error of a batch that was not committed, with the operation that is at fault. */
function refused({ error, index }: BatchRefused, operations: readonly Operation[]): ApiError {
  const { code, message, details, headers, plain } = error;
  const operation = index < 0 ? undefined : { index, id: operations[index]!.id };
  const fields = { ...error.fields, operation };
  return new ApiError(code, message, { details, headers, plain, fields });
}

/** The answer of what is committed: it is done, even where the answer could not be made of it any more. */
function done(endpoint: Endpoint, answer: InnerAnswer): Told {
  if (answer.status < 400) return answer;
  const message = `Done, but it cannot be shown: ${answer.refusal?.message ?? "try to read it"}`;
  return {
    status: endpoint.created ? 201 : 200,
    headers: new Headers(),
    text: JSON.stringify({ success: true, message }),
  };
}

async function runEach(call: Call, operations: readonly Operation[]): Promise<Result[]> {
  const { inside, context } = call;
  const results = new Results(call.services.settings.variant, languageOf(call.context));
  /** The ids of the records that the operations so far have made. */
  const made: (string | undefined)[] = [];
  for (const [n, operation] of operations.entries()) {
    const endpoint = inside.endpointAt(operation.method, operation.path);
    const problems = problemsOf(operation, endpoint);
    if (problems.length > 0) {
      made.push(undefined);
      results.addError(operation, endpoint ? invalidFields(problems) : notFoundHere());
      continue;
    }
    const missing = referencesOf(operation).find((name) =>
      made[referredTo(operations, n, name)] === undefined
    );
    if (missing !== undefined) {
      made.push(undefined);
      results.addError(operation, conflict(`'${missing}' has made no record to refer to`));
      continue;
    }
    const request = requestOf(operation, (name) => made[referredTo(operations, n, name)]!);
    const headers = { ...repetitionOf(call, operation, n), ...request.headers };
    const answer = await inside.ask(context, { ...request, headers });
    made.push(endpoint!.makes && answer.status === 201 ? madeIn(answer) : undefined);
    results.add(operation, answer, commitsOf(endpoint!));
    await nextTurn();
  }
  return results.all;
}

/** The id of the record that the answer shows, or that it says it made. */
function madeIn({ text, headers }: InnerAnswer): string | undefined {
  const { data } = (text === "" ? {} : JSON.parse(text)) as { data?: { id?: string } };
  return data?.id ?? headers.get("location")?.split("/").at(-1);
}

/** Where the batch has an Idempotency-Key, each of its operations has one of its own. */
function repetitionOf({ context }: Call, { method }: Operation, n: number): Record<string, string> {
  const key = context.req.raw.headers.get("idempotency-key");
  return key === null || method !== "POST" ? {} : { "idempotency-key": `${sha256(key)}#${n}` };
}

/** The results of a batch, with answers as long as there is room for them. */
class Results {
  readonly all: Result[] = [];
  #length = 0;

  constructor(readonly variant: Variant, readonly language: Language) {}

  add(operation: Operation, answer: Told, commits: ReturnType<typeof commitsOf>): void {
    this.#length += answer.text.length;
    if (this.#length <= MAX_ANSWER) return this.#push(operation, answer);
    this.#length -= answer.text.length;
    if (commits === "never") {
      return this.addError(operation, new ApiError("PAYLOAD_TOO_LARGE", TOO_LONG));
    }
    this.#push(operation, {
      ...answer,
      text: JSON.stringify({ success: true, message: TOO_LONG }),
    });
  }

  addError(operation: Operation, error: ApiError): void {
    const text = JSON.stringify(errorBody(this.variant, error, this.language));
    this.#push(operation, { status: error.status, headers: new Headers(), text });
  }

  #push({ id }: Operation, { status, headers, text }: Told): void {
    const shown: Record<string, string> = {};
    for (const name of SHOWN_HEADERS) {
      const value = headers.get(name);
      if (value !== null && value !== NO_VERSION) shown[name] = value;
    }
    const head = JSON.stringify({ id, status, headers: shown }).slice(0, -1);
    this.all.push({ status, json: new JsonText(`${head}${text ? `,"body":${text}` : ""}}`) });
  }
}
