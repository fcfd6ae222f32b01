// The parameters of an operation: those in its path, its query, and the headers that all of its kind take.
import type { z } from "zod";
import type { Work } from "../../core/slices.ts";
import { parametersIn } from "../../models/list_query.ts";
import { type Endpoint, fullPath, repeatable } from "../endpoint.ts";
import { mayBeMinimal } from "../preferences.ts";
import { selectable, SELECTING } from "../selection.ts";
import type { Json, Schemas } from "./schemas.ts";

const BOUNDS: Readonly<Record<string, string>> = {
  ne: "None of these values",
  gt: "Above this value",
  gte: "This value or above",
  lt: "Below this value",
  lte: "This value or below",
};

/** Parameters of many lists: what they mean, once. */
const MEANINGS: Readonly<Record<string, string>> = {
  page: "Which page, from 1",
  limit: "Records on a page: 10 where it is not given, 100 at most",
  pageSize: "Another name of `limit`",
  sort: "Fields to sort by, parted by commas; a minus before one is descending: `-createdAt`",
  cursor: "Goes on from `pagination.nextCursor` of the page before",
  search: "A text to be found in what is searched",
  q: "Another name of `search`",
  keyword: "Another name of `search`",
  id: "These records alone",
};

/** Headers, by their name in the document. */
const SENT: Readonly<Record<string, Json>> = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "A repetition with the same key, within 24 hours, gets the first answer again",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The version (ETag) that the change is meant for: 412 when there is a newer one",
    schema: { type: "string" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`return=minimal`: an answer without a body, 204, or 201 with `Location`, unless there are warnings. " +
      "`handling=strict`: fields that nothing takes are an error (RFC 7240)",
    schema: { type: "string" },
  },
};

/** The parameters of one document; those that many operations have are components. */
export class Parameters {
  readonly components: Record<string, Json> = {};

  constructor(readonly schemas: Schemas) {}

  /** Those of an operation, in slices: there may be dozens. */
  *of(endpoint: Endpoint, basePath: string): Work<Json[]> {
    const inQuery: Json[] = [];
    const shape = endpoint.query ? parametersIn(endpoint.query).shape : {};
    for (const [name, schema] of Object.entries(shape)) {
      inQuery.push(this.#inQuery(name, schema as z.ZodType));
      yield;
    }
    return [
      ...inPath(fullPath(endpoint, basePath)),
      ...inQuery,
      ...choosing(endpoint),
      ...(repeatable(endpoint) ? [this.#shared("IdempotencyKey", SENT.IdempotencyKey!)] : []),
      ...(mayBeMinimal(endpoint) ? [this.#shared("Prefer", SENT.Prefer!)] : []),
      ...(endpoint.errors?.includes("PRECONDITION_FAILED")
        ? [this.#shared("IfMatch", SENT.IfMatch!)]
        : []),
    ];
  }

  #inQuery(name: string, declared: z.ZodType): Json {
    const description = declared.meta()?.description ?? meaningOf(name);
    const { description: _, ...schema } = this.schemas.ofRequest(declared);
    const required = !declared.safeParse(undefined).success;
    const parameter = { name, in: "query", description, ...(required ? { required } : {}), schema };
    const common = name in MEANINGS || /^(id|createdAt|updatedAt)(_|$)/.test(name);
    return common ? this.#shared(name, parameter) : parameter;
  }

  /** As a component; another parameter of the name stands in its operation. */
  #shared(name: string, parameter: Json): Json {
    const before = this.components[name];
    if (before && JSON.stringify(before) !== JSON.stringify(parameter)) return parameter;
    this.components[name] = parameter;
    return { $ref: `#/components/parameters/${name}` };
  }
}

function inPath(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: name === "id" ? "Id of the record" : `The ${words(name!)}`,
    schema: { type: "string" },
  }));
}

/** `shareId` as `share id` */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function meaningOf(name: string): string {
  if (Object.hasOwn(MEANINGS, name)) return MEANINGS[name]!;
  const [, field = name, bound = ""] = /^(.+)_(ne|gte?|lte?)$/.exec(name) ?? [];
  return bound === "" ? `By ${words(name)}` : `By ${words(field)}: ${BOUNDS[bound]!.toLowerCase()}`;
}

/** Names of what may be chosen from an answer, parted by commas. */
function choosing(endpoint: Endpoint): Json[] {
  const known = selectable(endpoint);
  if (!known) return [];
  const parameter = (name: string, description: string, names: readonly string[]) => ({
    name,
    in: "query",
    description,
    style: "form",
    explode: false,
    schema: { type: "array", items: { type: "string", enum: names } },
  });
  const { fields, include } = known;
  return [
    parameter(SELECTING.fields, "These fields alone, parted by commas", [...fields, ...include]),
    ...(include.length > 0
      ? [parameter(SELECTING.include, "Records to be shown with each, parted by commas", include)]
      : []),
  ];
}
