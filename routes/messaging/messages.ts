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
  type Receipt,
  receipts,
  receiptsAsked,
} from "../../models/messages.ts";
import { deleted } from "../../models/requests.ts";
import type { Principal } from "../../services/access/access.ts";
import { conversationsOf, planDestination } from "../../services/messaging/conversations.ts";
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
import type { Page, Where } from "../../storage/port.ts";
import { everyMatch } from "../../storage/every_match.ts";
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
    const where: Where<Receipt> & { userId: string } = {
      userId,
      sent: folder && folder === "sent",
      readAt: wantRead === undefined ? undefined : wantRead ? ANY_TIME : null,
      all: [receiptsAsked(call.query.where)],
    };
    const paging = listing<Message>(call.query);
    const { page, rows } = await mailbox(call, where, paging);
    return {
      data: await shapeMessages(call.store, userId, rows),
      pagination: pagination(paging, page),
    };
  },
});

/** A condition that holds for every time that is present: none is before 1970. */
const ANY_TIME = { gt: new Date(0).toISOString() };

/** With more matches of a search than this, all receipts of the caller are read, not only those of the matches. */
const MAX_CANDIDATES = 1000;

/**
 * A page of the messages for which the caller has a receipt that meets the conditions. Only a search for content needs
 * more than the receipts to find them.
 */
async function mailbox(
  { store }: Pick<Call, "store">,
  where: Where<Receipt> & { readonly userId: string },
  { search, ...paging }: ReturnType<typeof listing<Message>>,
): Promise<{ page: Page<unknown>; rows: readonly Message[] }> {
  if (search) {
    const own = await conversationsOf(store, where.userId);
    const among = conversationsAlone(where, own);
    if (among && await holdsAll(store, where.userId, among)) {
      const page = await store.from(messages).list({ ...paging, search, where: among });
      return { page, rows: page.rows };
    }
    const messageId = await candidates(store, own, search);
    const held = await everyMatch(store, receipts, { ...where, messageId });
    const id = held.map((receipt) => receipt.messageId);
    const page = await store.from(messages).list({ ...paging, search, where: { id } });
    return { page, rows: page.rows };
  }
  const page = await store.from(receipts).list({ ...paging, where });
  const found = await store.from(messages).getMany(page.rows.map((row) => row.messageId));
  return { page, rows: found.flatMap((message) => message ?? []) };
}

/** The condition on messages and on receipts alike, where only conversations are asked for; else null. */
function conversationsAlone(
  { userId: _, all = [], ...others }: Where<Receipt>,
  own: readonly string[],
): Where<Message> & Where<Receipt> | null {
  const asked = [others, ...all].flatMap((where) => Object.entries(where))
    .filter(([, value]) => value !== undefined);
  if (asked.some(([field]) => field !== "conversationId")) return null;
  return {
    all: [{ conversationId: own }, ...asked.map(([, conversationId]) => ({ conversationId }))],
  } as Where<Message> & Where<Receipt>;
}

/**
 * Whether the caller has a receipt of every message: then the messages alone are to be searched, however many match.
 * A receipt is of the conversation of its message, and of each message there is at most one for a person.
 */
async function holdsAll(
  store: Call["store"],
  userId: string,
  among: Where<Message> & Where<Receipt>,
): Promise<boolean> {
  const [there, held] = await Promise.all([
    store.from(messages).count(among),
    store.from(receipts).count({ all: [among, { userId }] }),
  ]);
  return there === held;
}

/** Ids of the messages in the caller's conversations that hold the text; undefined above MAX_CANDIDATES. */
async function candidates(
  store: Call["store"],
  conversationId: readonly string[],
  search: string,
): Promise<readonly string[] | undefined> {
  const found = await store.from(messages).list({
    where: { conversationId },
    search,
    limit: MAX_CANDIDATES,
  });
  return found.total > MAX_CANDIDATES ? undefined : found.rows.map(({ id }) => id);
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
