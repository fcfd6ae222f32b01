// Messages: conversations where the server has them, else a mailbox.
import { serves } from "../../state/place.ts";
import { Conversations } from "./conversations.tsx";
import { Mailbox } from "./mailbox.tsx";

export default function MessagesPage(
  { params }: { readonly params: Readonly<Record<string, string>> },
) {
  return serves("conversations") ? <Conversations id={params.id ?? null} /> : <Mailbox />;
}
