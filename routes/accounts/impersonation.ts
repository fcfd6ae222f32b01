// Acting as another user.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { visitorOf } from "../../http/visitor.ts";
import { publicUser } from "../../models/users.ts";
import { impersonate as actAs } from "../../services/accounts/impersonation.ts";
import { publicUserOf } from "../../services/access/users.ts";

const impersonate = endpoint({
  operationId: "impersonateUser",
  method: "post",
  path: "/users/{id}/impersonate",
  tag: "Users",
  summary: "Act as another user for an hour",
  description:
    "For a super_admin, never as another super_admin. The access token has no refresh token and ends with your own " +
    "session. It makes no credentials; every answer to it carries `X-Impersonated-By`, and the audit log names both.",
  access: "users:*",
  ownSession: true,
  stepUp: true,
  secret: true,
  created: true,
  data: z.object({ accessToken: z.string(), expiresIn: z.number(), user: publicUser }),
  errors: ["NOT_FOUND", "CONFLICT"],
  async handle(call) {
    const { user, ...tokens } = await actAs(
      call.services,
      visitorOf(call),
      call.params.id,
      (plan) => call.transact((tx) => plan(tx, call.principal)),
    );
    const data = { ...tokens, user: await publicUserOf(call.store, user) };
    return { data, message: `You act as ${user.name} with this token` };
  },
});

export const impersonationRoutes = [impersonate];
