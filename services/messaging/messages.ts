// Messages: sent, read and deleted, each by whoever may; and how a message looks to one of its participants.
import { forbidden, notFound } from "../../core/errors.ts";
import { utf8Length } from "../../core/text.ts";
import {
  type Conversation,
  conversations,
  hiddenMessages,
  type Message,
  type MessageCreation,
  messages,
  type PublicMessage,
  type Receipt,
  receipts,
} from "../../models/messages.ts";
import { notifications } from "../../models/notifications.ts";
import { type User, users } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { notify, withdraw } from "./notifications.ts";
import { DELETED_USER, personsById } from "../access/persons.ts";
import { everyMatch } from "../../storage/every_match.ts";

type Source = Pick<Store, "from">;

/** A message, and the receipt of whoever looks at it. */
export interface Held {
  readonly message: Message;
  readonly receipt: Receipt;
}

/** Where a message goes, and to whom. */
export interface Destination {
  readonly conversation: Conversation;
  readonly recipientIds: readonly string[];
}

/** Characters of a message that its notification shows. */
const EXCERPT = 140;

/** Bytes that a receipt and the notification of it take, roughly. */
const RECEIPT_BYTES = 512;

/** Plans a message: itself, a receipt for each participant, and a notification for each recipient. */
export function planMessage(
  tx: Transaction,
  sender: User,
  { conversation, recipientIds }: Destination,
  { content, type }: Pick<MessageCreation, "content" | "type">,
): Message {
  const message = tx.insert(messages, {
    conversationId: conversation.id,
    senderId: sender.id,
    recipientId: conversation.type === "private" ? recipientIds[0] : undefined,
    type,
    content,
    size: utf8Length(content) + RECEIPT_BYTES * (recipientIds.length + 1),
  });
  const receipt = { messageId: message.id, conversationId: conversation.id, type };
  tx.insert(receipts, { ...receipt, userId: sender.id, sent: true, readAt: tx.now });
  for (const userId of recipientIds) {
    tx.insert(receipts, { ...receipt, userId, sent: false });
    notify(tx, {
      userId,
      type: "message",
      title: `New message from ${sender.name}`,
      content: excerpt(message),
      link: `/messages/${conversation.id}`,
      subjectId: message.id,
      aboutId: sender.id,
    });
  }
  tx.update(conversations, conversation, { lastMessageId: message.id, lastMessageAt: tx.now });
  return message;
}

function excerpt({ type, content }: Message): string {
  if (type !== "text") return type === "image" ? "An image" : "A file";
  const characters = [...content.trim().replace(/\s+/g, " ")];
  if (characters.length <= EXCERPT) return characters.join("");
  return `${characters.slice(0, EXCERPT - 1).join("")}…`;
}

/**
 * The message, for those who hold a receipt of it.
 *
 * @throws {ApiError} NOT_FOUND for everyone else.
 */
export async function heldMessage(source: Source, id: string, userId: string): Promise<Held> {
  const receipt = await source.from(receipts).findBy("receipt", id, userId);
  const message = receipt && await source.from(messages).get(id);
  if (!message) throw notFound("message");
  return { message, receipt };
}

/**
 * Plans that a recipient has read a message. Doing it again changes nothing.
 *
 * @throws {ApiError} FORBIDDEN for the sender.
 */
export async function planRead(tx: Transaction, { receipt }: Held): Promise<void> {
  if (receipt.sent) throw forbidden("Only a recipient marks a message as read");
  if (receipt.readAt !== undefined) return;
  await planAllRead(tx, [receipt]);
}

/** Plans that messages are read, by the receipts of one user, none of them read yet. */
export async function planAllRead(tx: Transaction, unread: readonly Receipt[]): Promise<void> {
  const [first] = unread;
  if (!first) return;
  for (const receipt of unread) tx.update(receipts, receipt, { readAt: tx.now });
  const subjectId = unread.map(({ messageId }) => messageId);
  const where = { userId: first.userId, subjectId, read: false };
  for (const told of await everyMatch(tx, notifications, where)) {
    tx.update(notifications, told, { read: true, readAt: tx.now });
  }
}

/** Plans a deletion: for all by the sender, for oneself by a recipient, and for good when nobody else is left. */
export async function planDeletion(tx: Transaction, { message, receipt }: Held): Promise<void> {
  const held = await everyMatch(tx, receipts, { messageId: message.id });
  const conversation = await tx.from(conversations).get(message.conversationId);
  if (!receipt.sent && held.length > 1) {
    tx.remove(receipts, receipt);
    const { messageId, conversationId, userId } = receipt;
    const unread = receipt.readAt === undefined || undefined;
    tx.insert(hiddenMessages, { messageId, conversationId, userId, unread });
    await withdraw(tx, message.id, receipt.userId);
    if (conversation) tx.update(conversations, conversation, {});
    return;
  }
  for (const one of held) tx.remove(receipts, one);
  await planVisible(tx, [message.id]);
  await withdraw(tx, message.id);
  tx.remove(messages, message);
  if (!conversation) return;
  const last = await lastBut(tx, message);
  // Always written, so that of two deletions at once the later sees the other.
  tx.update(conversations, conversation, {
    lastMessageId: last?.id,
    lastMessageAt: last?.createdAt ?? conversation.createdAt,
  });
}

/** Plans that nobody has deleted the messages for themselves: they end. */
export async function planVisible(tx: Transaction, messageId: readonly string[]): Promise<void> {
  for (const one of await everyMatch(tx, hiddenMessages, { messageId })) {
    tx.remove(hiddenMessages, one);
  }
}

/** The last message of the conversation apart from this one. */
async function lastBut(
  tx: Transaction,
  { id, conversationId }: Message,
): Promise<Message | undefined> {
  const { rows } = await tx.from(messages).list({ where: { conversationId }, limit: 2 });
  return rows.find((message) => message.id !== id);
}

/** Messages as one of their participants sees them. */
export async function shapeMessages(
  source: Source,
  userId: string,
  shown: readonly Message[],
): Promise<PublicMessage[]> {
  if (shown.length === 0) return [];
  const sent = shown.filter((message) => message.senderId === userId).map(({ id }) => id);
  const [found, hidden] = await Promise.all([
    everyMatch(source, receipts, {
      messageId: shown.map(({ id }) => id),
      any: [{ userId }, { messageId: sent }],
    }),
    everyMatch(source, hiddenMessages, { messageId: sent }),
  ]);
  const byMessage = Map.groupBy(found, (receipt) => receipt.messageId);
  const unread = new Set(hidden.filter((one) => one.unread).map(({ messageId }) => messageId));
  const senders = await personsById(source, shown.flatMap((message) => message.senderId ?? []));
  return shown.map((message) => {
    const sender = senders.get(message.senderId ?? "") ?? DELETED_USER;
    const held = byMessage.get(message.id) ?? [];
    const state = readState(held, userId, unread.has(message.id));
    return { ...message, senderId: sender.id, sender, ...state };
  });
}

/** A recipient has read it or not; for the sender all count. @param deletedUnread By one at least. */
function readState(
  held: readonly Receipt[],
  userId: string,
  deletedUnread: boolean,
): Pick<PublicMessage, "read" | "readAt"> {
  const own = held.find((receipt) => receipt.userId === userId);
  const isSender = own?.sent ?? true;
  const counted = isSender ? held.filter((receipt) => !receipt.sent) : [own!];
  const times = counted.flatMap((receipt) => receipt.readAt ?? []).sort();
  const read = times.length === counted.length && !(isSender && deletedUnread);
  return { read, readAt: read ? times.at(-1) : undefined };
}

/** The version of what is shown of a message: it changes when it is read, and with the name of the sender. */
export async function messageVersion(source: Source, { message, receipt }: Held): Promise<string> {
  const sender = message.senderId && await source.from(users).get(message.senderId);
  const parts = [message.rev, receipt.rev, sender ? sender.rev : ""];
  if (receipt.sent) {
    const unread = { messageId: message.id, readAt: null };
    parts.push(String(await source.from(receipts).count(unread)));
  }
  return parts.join(".");
}
