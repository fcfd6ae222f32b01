// What a conversation is called.
import type { Conversation } from "../../../client/mod.ts";
import { texts } from "./texts.ts";

/** Its name, else its people. */
export function nameOf({ name, members }: Pick<Conversation, "name" | "members">): string {
  return name || members.map((member) => member.name).join(", ") || texts().gone;
}
