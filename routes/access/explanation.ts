// Why someone may do something, or may not.
import { endpoint } from "../../http/endpoint.ts";
import { existing, invalid, lacking } from "../../core/errors.ts";
import { explanation, explanationQuery } from "../../models/explanation.ts";
import { users } from "../../models/users.ts";
import { effectivePermissions, permits, type Principal } from "../../services/access/access.ts";
import { explain as reasonsFor } from "../../services/access/explain.ts";
import { roleOf } from "../../services/access/users.ts";
import type { Store } from "../../storage/port.ts";

const explain = endpoint({
  operationId: "explainAccess",
  method: "get",
  path: "/access/explain",
  tag: "Users",
  summary: "Why someone may do something, or may not",
  description:
    "By the code that decides: account, second factor, permission and, with `resource` and `id`, the record. About " +
    "oneself; about others with `users:view`. What you may not see yourself is explained as if it were not there.",
  access: "authenticated",
  query: explanationQuery,
  data: explanation,
  errors: ["NOT_FOUND", "FORBIDDEN"],
  async handle(call) {
    const { store, services: { settings }, now, principal } = call;
    const { userId = principal.user.id, ...question } = call.query;
    if ((question.id === undefined) !== (question.resource === undefined)) {
      throw invalid(question.id === undefined ? "id" : "resource", "resource and id go together");
    }
    const about = userId === principal.user.id
      ? principal
      : await someone(store, principal, userId);
    return { data: await reasonsFor({ store, settings, now }, principal, about, question) };
  },
});

/** Another user as a caller. @throws {ApiError} FORBIDDEN, NOT_FOUND */
async function someone(store: Store, asker: Principal, userId: string): Promise<Principal> {
  if (!permits(asker.permissions, "users:view")) throw lacking(["users:view"]);
  const user = existing(await store.from(users).get(userId), "user");
  const role = await roleOf(store, user);
  const permissions = effectivePermissions(user, role);
  return { user, role, permissions, session: null, key: null };
}

export const explanationRoutes = [explain];
