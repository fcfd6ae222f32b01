// Records as the endpoints show them, for what is sent without being asked for: events and webhooks.
import { ApiError } from "../core/errors.ts";
import type { Principal } from "../services/access/access.ts";
import type { RecordViews, Topic } from "../services/events/records.ts";
import type { Services } from "../services/services.ts";
import { isAllowed } from "./authenticate.ts";
import type { Answer, Call, Endpoint } from "./endpoint.ts";
import { dataText } from "./respond.ts";

/** Where a collection is read: a record by its id, and the list. */
const PATHS: Readonly<Record<Topic, { readonly one?: string; readonly list?: string }>> = {
  users: { one: "/users/{id}" },
  roles: { one: "/roles/{id}" },
  permissions: { one: "/permissions/{id}" },
  teams: { one: "/teams/{id}" },
  documents: { one: "/documents/{id}" },
  files: { one: "/files/{id}" },
  // The tree of folders is shown as a whole.
  folders: { list: "/folders" },
  conversations: { one: "/messages/conversations/{id}" },
  messages: { one: "/messages/{id}" },
  notifications: { one: "/notifications/{id}", list: "/notifications" },
  preferences: { one: "/users/me/preferences" },
  events: { one: "/calendar/events/{id}" },
  tasks: { one: "/dashboard/tasks/{id}", list: "/dashboard/tasks" },
  snippets: { one: "/share/{id}", list: "/share" },
  dashboard: { list: "/dashboard/stats" },
  unread: { list: "/notifications" },
};

/**
 * @param endpoints What none of them shows is not sent.
 * @param services Asked for only when a record is.
 */
export function recordViews(
  endpoints: readonly Endpoint[],
  services: () => Services,
): RecordViews {
  const reads = new Map(
    endpoints.filter(({ method }) => method === "get").map((one) => [one.path, one]),
  );
  const find = (path: string | undefined) => reads.get(path ?? "") ?? null;

  return {
    admits(principal, topic) {
      const { one, list } = PATHS[topic];
      // A list holds what is the caller's, where a single record may be open to anyone who has its address.
      const endpoint = find(list) ?? find(one);
      return endpoint !== null && isAllowed(principal, services(), endpoint);
    },

    async show(principal, collection, id) {
      const { one, list } = PATHS[collection];
      const endpoint = find(one) ?? find(list);
      if (endpoint === null || !isAllowed(principal, services(), endpoint)) return null;
      if (endpoint.path === one) return await read(endpoint, principal, services(), { id });
      if (!endpoint.query?.safeParse({ id }).success || collection === "folders") return null;
      const text = await read(endpoint, principal, services(), {}, { id });
      const [record] = JSON.parse(text ?? "[]");
      return record === undefined ? null : JSON.stringify(record);
    },
  };
}

/** Of what is sent unasked: no header says more of it. */
const unasked = { req: { raw: { headers: new Headers() } } };

/** The data that an endpoint answers the caller with; null where it refuses. */
async function read(
  endpoint: Endpoint,
  principal: Principal,
  services: Services,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  // What is sent unasked is no view of a document.
  const quiet = {
    ...services,
    documentViews: { ...services.documentViews, open() {} },
  };
  const call = {
    params,
    query: endpoint.query?.parse(query),
    body: undefined,
    principal,
    actor: { userId: principal.user.id },
    context: unasked,
    ip: "",
    services: quiet,
    store: services.store,
    get now() {
      return services.clock().toISOString();
    },
    repeated: false,
    identify() {},
    transact() {
      throw new Error(`Cannot show a record: ${endpoint.path} writes`);
    },
  };
  try {
    // The rest of a request's context is all that is missing: what answers by id alone does not use it.
    const answer = await endpoint.handle(call as unknown as Call) as Answer<unknown>;
    return answer.data === undefined ? null : dataText(endpoint, answer.data);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}
