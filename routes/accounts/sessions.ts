// The sessions of a user: seen and ended by the user, or by whoever may update users.
import { z } from "zod";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { existing, notFound } from "../../core/errors.ts";
import { publicSession } from "../../models/auth.ts";
import { listQuery } from "../../models/list_query.ts";
import { deleted } from "../../models/requests.ts";
import { type Session, sessions } from "../../models/sessions.ts";
import { users } from "../../models/users.ts";
import type { Principal } from "../../services/access/access.ts";
import { listing, pagination } from "../../http/lists.ts";
import { sessionView } from "../../services/accounts/devices.ts";
import { assertMayManage, roleOf } from "../../services/access/users.ts";

const tag = "Sessions";
const query = listQuery(sessions, { hidden: ["userId"] });

async function sessionsOf(
  call: { store: Call["store"]; query: z.output<typeof query>; principal: Principal },
  userId: string,
) {
  const paging = listing<Session>(call.query);
  const page = await call.store.from(sessions).list({
    ...paging,
    where: { ...call.query.where, userId },
  });
  const current = call.principal.session?.id;
  return {
    data: await Promise.all(page.rows.map((session) => sessionView(session, current))),
    pagination: pagination(paging, page),
  };
}

const listOwn = endpoint({
  operationId: "listSessions",
  method: "get",
  path: "/auth/sessions",
  tag,
  summary: "One's own sessions",
  access: "authenticated",
  // Addresses and devices of people are no matter of a program.
  ownSession: "acting",
  query,
  list: true,
  data: z.array(publicSession),
  handle: (call) => sessionsOf(call, call.principal.user.id),
});

const endOwn = endpoint({
  operationId: "deleteSession",
  method: "delete",
  path: "/auth/sessions/{id}",
  tag,
  summary: "End one of one's own sessions",
  access: "authenticated",
  ownSession: true,
  data: deleted,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const session = await tx.from(sessions).get(id);
      if (session?.userId !== call.principal.user.id) throw notFound("session");
      tx.remove(sessions, session);
    });
    return { data: { id }, message: "The session is ended" };
  },
});

const listOfUser = endpoint({
  operationId: "listUserSessions",
  method: "get",
  path: "/users/{id}/sessions",
  tag,
  summary: "The sessions of a user",
  description: "Not those of someone who may do more than you.",
  access: "users:update",
  query,
  list: true,
  data: z.array(publicSession),
  errors: ["NOT_FOUND"],
  async handle(call) {
    const user = existing(await call.store.from(users).get(call.params.id), "user");
    assertMayManage(call.principal, user, await roleOf(call.store, user));
    return await sessionsOf(call, user.id);
  },
});

const endOfUser = endpoint({
  operationId: "deleteUserSession",
  method: "delete",
  path: "/users/{id}/sessions/{sessionId}",
  tag,
  summary: "End a session of a user",
  access: "users:update",
  ownSession: true,
  data: deleted,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { id, sessionId } = call.params;
    await call.transact(async (tx) => {
      const user = await tx.from(users).get(id);
      const session = await tx.from(sessions).get(sessionId);
      if (!user || session?.userId !== id) throw notFound("session");
      assertMayManage(call.principal, user, await roleOf(tx, user));
      tx.remove(sessions, session);
    });
    return { data: { id: sessionId }, message: "The session is ended" };
  },
});

export const ownSessionRoutes = [listOwn, endOwn];
export const userSessionRoutes = [listOfUser, endOfUser];
