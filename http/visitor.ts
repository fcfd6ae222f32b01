// Who sends a request, for what is done before it is known who they are.
import { getCookie } from "hono/cookie";
import type { Visitor } from "../services/services.ts";
import { DEVICE_COOKIE } from "./cookies.ts";
import type { Call } from "./endpoint.ts";

export function visitorOf(
  { services, actor, ip, context }: Pick<Call, "services" | "actor" | "ip" | "context">,
): Visitor {
  const device = getCookie(context, DEVICE_COOKIE);
  return { services, actor, ip, userAgent: context.req.header("user-agent"), device };
}
