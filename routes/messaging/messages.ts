// Messages: sending, reading, deleting; and the mailbox of variant compact. No role opens those of others.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { personIn } from "../../http/references.ts";
import {
  type Message,
  messageCreation,
  messageListQuery,
  messages,
  publicMessage,
  receipts,
} from "../../models/messages.ts";
import { deleted } from "../../models/requests.ts";
import type { Principal } from "../../services/access/access.ts";
import { planDestination } from "../../services/messaging/conversations.ts";
import { listing, pagination } from "../../http/lists.ts";
import {
  type Held,
  heldMessage,
  messageVersion,
  planDeletion,
  planMessage,
  planRead,
  shapeMessages,
} from "../../services/messaging/messages.ts";
import { type Mailbox, receiptsIn, searchedIn } from "../../services/messaging/search.ts";
import type { Page } from "../../storage/port.ts";
import { KIB } from "../../core/units.ts";

const tag = "Messages";

/** A message as the caller sees it, with its version. */
export async function shownMessage(
  call: { store: Call["store"]; principal: Principal },
  held: Held,
) {
  const userId = call.principal.user.id;
  const [data] = await shapeMessages(call.store, userId, [held.message]);
  return { data, etag: await messageVersion(call.store, held) };
}

const send = endpoint({
  operationId: "sendMessage",
  method: "post",
  path: "/messages",
  tag,
  summary: "Send a message",
  description:
    "To a conversation, to one person (`recipientId`: there is one private conversation per pair), or to several " +
    "(`participantIds`: a new group; one person alone is written to privately). Each recipient is notified. " +
    "Whoever may read messages may write them.",
  access: ["messages:create", "messages:view"],
  created: true,
  makes: "messages",
  body: messageCreation,
  bodyLimit: 128 * KIB,
  data: publicMessage,
  errors: ["CONFLICT"],
  async handle(call) {
    const { user } = call.principal;
    const message = await call.transact(async (tx) =>
      planMessage(tx, user, await planDestination(tx, user, call.body), call.body)
    );
    const held = await heldMessage(call.store, message.id, user.id);
    return { ...await shownMessage(call, held), message: "The message is sent" };
  },
});

const markRead = endpoint({
  operationId: "markMessageRead",
  method: "put",
  path: "/messages/{id}/read",
  tag,
  summary: "Mark a message as read",
  description: "For its recipients. Marking it again changes nothing.",
  access: ["messages:view", "messages:update", "messages:create"],
  data: publicMessage,
  errors: ["FORBIDDEN", "NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    const userId = call.principal.user.id;
    await call.transact(async (tx) => {
      const held = await heldMessage(tx, id, userId);
      assertMatch(call, await messageVersion(tx, held));
      await planRead(tx, held);
    });
    return await shownMessage(call, await heldMessage(call.store, id, userId));
  },
});

const remove = endpoint({
  operationId: "deleteMessage",
  method: "delete",
  path: "/messages/{id}",
  tag,
  summary: "Delete a message",
  description:
    "Its sender deletes it for everyone. A recipient deletes it for themselves alone: the others keep it.",
  access: ["messages:view", "messages:delete", "messages:create"],
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    await call.transact(async (tx) => {
      const held = await heldMessage(tx, id, call.principal.user.id);
      assertMatch(call, await messageVersion(tx, held));
      await planDeletion(tx, held);
    });
    return { data: { id }, message: "The message is deleted" };
  },
});

export const messageRoutes = [send, markRead, remove];

const list = endpoint({
  operationId: "listMessages",
  method: "get",
  path: "/messages",
  tag,
  summary: "List one's messages",
  description:
    "Received and sent, newest first. `folder` is `inbox` or `sent`; `unread=true` lists what you have not read; " +
    "`search` looks into the content.",
  access: ["messages:view", "messages:create"],
  query: messageListQuery,
  list: true,
  data: z.array(publicMessage),
  include: { recipient: personIn("recipientId") },
  async handle(call) {
    const { folder, read, unread } = call.query;
    const userId = call.principal.user.id;
    const wantRead = read ?? (unread === undefined ? undefined : !unread);
    const mailbox = {
      userId,
      sent: folder && folder === "sent",
      read: wantRead,
      asked: call.query.where,
    };
    const paging = listing<Message>(call.query);
    const { page, rows } = await pageOf(call.store, mailbox, paging);
    return {
      data: await shapeMessages(call.store, userId, rows),
      pagination: pagination(paging, page),
    };
  },
});

/**
 * A page of the messages for which the caller has a receipt that meets the conditions. Only a search for content needs
 * more than the receipts to find them.
 */
async function pageOf(
  store: Call["store"],
  mailbox: Mailbox,
  { search, ...paging }: ReturnType<typeof listing<Message>>,
): Promise<{ page: Page<unknown>; rows: readonly Message[] }> {
  if (search) {
    const where = await searchedIn(store, mailbox, search);
    const page = await store.from(messages).list({ ...paging, search, where });
    return { page, rows: page.rows };
  }
  const page = await store.from(receipts).list({ ...paging, where: receiptsIn(mailbox) });
  const found = await store.from(messages).getMany(page.rows.map((row) => row.messageId));
  return { page, rows: found.flatMap((message) => message ?? []) };
}

const details = endpoint({
  operationId: "getMessage",
  method: "get",
  path: "/messages/{id}",
  tag,
  summary: "Message details",
  description: "Looking at a message does not mark it as read.",
  access: ["messages:view", "messages:create"],
  data: publicMessage,
  include: { recipient: personIn("recipientId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const held = await heldMessage(call.store, call.params.id, call.principal.user.id);
    return await shownMessage(call, held);
  },
});

export const mailboxRoutes = [list, details];
