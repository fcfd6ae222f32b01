// Everything that the store holds about a person, for themselves or for whoever administers them.
import { exchangeOf } from "../../http/exchange.ts";
import { attachment } from "../../http/download.ts";
import { endpoint } from "../../http/endpoint.ts";
import { existing, lacking } from "../../core/errors.ts";
import { auditLog } from "../../models/audit.ts";
import { users } from "../../models/users.ts";
import { manages } from "../../services/access/access.ts";
import { assertMayManage, roleOf } from "../../services/access/users.ts";
import { personalData } from "../../services/accounts/personal_data.ts";
import { auditEntry } from "../../storage/audit.ts";

const exportData = endpoint({
  operationId: "exportUserData",
  method: "get",
  path: "/users/{id}/data",
  tag: "Users",
  summary: "Everything that is stored about a person",
  description:
    "One's own, or with `users:*` that of a user whom one may manage. One JSON document, streamed: the profile, and an " +
    "array for each kind of record, as the person sees them; no secrets and no bytes of files, which have links. " +
    "`withheld` names what only the person is given, or who manages that resource. Needs a proof of the last minutes " +
    "of who you are (`POST /auth/step-up`); at most 20 an hour.",
  access: "authenticated",
  stepUp: true,
  raw: "application/json",
  errors: ["NOT_FOUND", "FORBIDDEN", "RATE_LIMITED"],
  async handle(call) {
    const { services, context, params: { id } } = call;
    // Before the user is looked for: to others it tells nothing of who there is.
    if (id !== call.principal.user.id && !manages(call.principal, "users")) {
      throw lacking(["users:*"]);
    }
    services.limiter.take("personalData", { account: call.principal.user.id });
    const person = await call.transact(async (tx) => {
      const { principal } = call;
      const person = existing(await tx.from(users).get(id), "user");
      if (id !== principal.user.id) {
        if (!manages(principal, "users")) throw lacking(["users:*"]);
        assertMayManage(principal, person, await roleOf(tx, person));
      }
      const act = { action: "export", target: users.name, targetId: id };
      tx.insert(auditLog, auditEntry(call.actor, { ...act, targetName: person.name }));
      return person;
    });
    const pieces = personalData({ services, principal: call.principal, person }, call.now);
    const bytes = ReadableStream.from(pieces).pipeThrough(new TextEncoderStream());
    return new Response(bytes, {
      headers: {
        ...exchangeOf(context).headers,
        "content-type": "application/json",
        "content-disposition": attachment("personal-data.json"),
        "cache-control": "no-store",
      },
    });
  },
});

export const personalDataRoutes = [exportData];
