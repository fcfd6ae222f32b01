// A mailbox: the messages that one holds, by their receipts, and by their content.
import {
  hiddenMessages,
  type Message,
  type MessageListQuery,
  messages,
  type Receipt,
  receipts,
  receiptsAsked,
} from "../../models/messages.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store, Where } from "../../storage/port.ts";
import { conversationsOf } from "./conversations.ts";

type Source = Pick<Store, "from">;

/** What is asked of a mailbox. */
export interface Mailbox {
  readonly userId: string;
  /** Absent: both what the user sent and what came. */
  readonly sent: boolean | undefined;
  readonly read: boolean | undefined;
  /** Conditions on the messages, and on when they were read. */
  readonly asked: MessageListQuery["where"];
}

/** A condition that holds for every time that is present: none is before 1970. */
const ANY_TIME = { gt: new Date(0).toISOString() };

/** With more matches of a search than this, receipts are not read by them. */
const MAX_CANDIDATES = 1000;

/** The condition on the receipts of the messages that are asked for. */
export function receiptsIn({ userId, sent, read, asked }: Mailbox): Where<Receipt> {
  const readAt = read === undefined ? undefined : read ? ANY_TIME : null;
  return { userId, sent, readAt, all: [receiptsAsked(asked)] };
}

/**
 * The condition on the messages that are asked for, among those that hold a text. However many hold it, no more is read
 * than what the user has deleted for themselves, or has not read yet.
 */
export async function searchedIn(
  source: Source,
  mailbox: Mailbox,
  search: string,
): Promise<Where<Message>> {
  const { userId, read } = mailbox;
  const own = await conversationsOf(source, userId);
  const [held, asked] = [await heldBy(source, userId, own), askedOf(mailbox)];
  if (held && asked && read === undefined) return { all: [asked, ...held] };
  const messageId = await candidates(source, own, search);
  if (messageId === undefined && held && asked) {
    const unread = await messageIds(source, { userId, readAt: null });
    return { all: [asked, ...held, { id: read ? { ne: unread } : unread }] };
  }
  return { id: await messageIds(source, { ...receiptsIn(mailbox), messageId }) };
}

/** As far as messages tell by themselves; null where only their receipts do. */
function askedOf({ userId, sent, asked }: Mailbox): Where<Message> | null {
  const { readAt, ...others } = asked;
  if (readAt !== undefined) return null;
  return { ...others, senderId: sent === undefined ? undefined : sent ? userId : { ne: userId } };
}

/**
 * Conditions that hold for the messages of which the user has a receipt; null where receipts alone tell, as on a store
 * that does not know of all that was deleted before it kept hidden messages. Of each message of a conversation there is
 * either a receipt for a participant, or that they have hidden it: so the numbers tell whether all are known.
 */
async function heldBy(
  source: Source,
  userId: string,
  conversationId: readonly string[],
): Promise<readonly Where<Message>[] | null> {
  const [there, held, hidden] = await Promise.all([
    source.from(messages).count({ conversationId }),
    source.from(receipts).count({ userId }),
    source.from(hiddenMessages).count({ userId }),
  ]);
  if (there !== held + hidden) return null;
  if (hidden === 0) return [{ conversationId }];
  const gone = await everyMatch(source, hiddenMessages, { userId });
  return [{ conversationId }, { id: { ne: gone.map(({ messageId }) => messageId) } }];
}

/** Ids of the messages in the user's conversations that hold the text; undefined above MAX_CANDIDATES. */
async function candidates(
  source: Source,
  conversationId: readonly string[],
  search: string,
): Promise<readonly string[] | undefined> {
  const where = { conversationId };
  const found = await source.from(messages).list({ where, search, limit: MAX_CANDIDATES });
  return found.total > MAX_CANDIDATES ? undefined : found.rows.map(({ id }) => id);
}

async function messageIds(source: Source, where: Where<Receipt>): Promise<readonly string[]> {
  return (await everyMatch(source, receipts, where)).map(({ messageId }) => messageId);
}
