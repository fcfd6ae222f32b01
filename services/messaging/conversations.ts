// Conversations: where a message goes, who takes part, and how a conversation looks to one of its participants.
import { conflict, invalid } from "../../core/errors.ts";
import {
  type Conversation,
  conversations,
  type MessageCreation,
  messages,
  participants,
  type PublicConversation,
  type PublicMessage,
  receipts,
} from "../../models/messages.ts";
import type { Person } from "../../models/requests.ts";
import type { User } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { type Destination, shapeMessages } from "./messages.ts";
import { activeUsers, personsById, staying } from "../access/persons.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { comparable } from "../../storage/searched.ts";

type Source = Pick<Store, "from">;

/**
 * The conversation that a message names; a private or group conversation is made when there is none yet.
 *
 * @throws {ApiError} VALIDATION_ERROR for a conversation the sender is not in, or recipients who cannot be written to.
 */
export async function planDestination(
  tx: Transaction,
  sender: User,
  { conversationId, recipientId, participantIds, name }: MessageCreation,
): Promise<Destination> {
  if (conversationId !== undefined) return await named(tx, sender, conversationId);
  const field = recipientId === undefined ? "participantIds" : "recipientId";
  const asked = participantIds ?? [recipientId!];
  const others = [...new Set(asked)].filter((id) => id !== sender.id);
  if (others.length === 0) throw invalid(field, "you cannot write to yourself alone");
  await activeUsers(tx, others, field);
  const [other] = others;
  if (other !== undefined && others.length === 1) return await privately(tx, sender, other);

  const conversation = tx.insert(conversations, {
    type: "group",
    name: name || undefined,
    createdBy: sender.id,
    lastMessageAt: tx.now,
  });
  return join(tx, conversation, sender.id, others);
}

/** The conversation that a message names by its id. */
async function named(tx: Transaction, sender: User, id: string): Promise<Destination> {
  const conversation = await joinedConversation(tx, id, sender.id);
  if (!conversation) throw invalid("conversationId", "there is no such conversation");
  const members = await everyMatch(tx, participants, { conversationId: id });
  const others = members.map((member) => member.userId).filter((id) => id !== sender.id);
  const recipientIds = await staying(tx, others);
  if (recipientIds.length === 0) throw conflict("Nobody else is left in this conversation");
  return { conversation, recipientIds };
}

/** The one private conversation of two users. */
async function privately(tx: Transaction, sender: User, otherId: string): Promise<Destination> {
  const pairKey = [sender.id, otherId].sort().join(":");
  const found = await tx.from(conversations).findBy("pair", pairKey);
  if (found) return { conversation: found, recipientIds: [otherId] };
  const conversation = tx.insert(conversations, {
    type: "private",
    pairKey,
    createdBy: sender.id,
    lastMessageAt: tx.now,
  });
  return join(tx, conversation, sender.id, [otherId]);
}

function join(
  tx: Transaction,
  conversation: Conversation,
  senderId: string,
  recipientIds: readonly string[],
): Destination {
  for (const userId of [senderId, ...recipientIds]) {
    tx.insert(participants, { conversationId: conversation.id, userId });
  }
  return { conversation, recipientIds };
}

/** The conversation, when the user takes part in it. */
export async function joinedConversation(
  source: Source,
  id: string,
  userId: string,
): Promise<Conversation | null> {
  const member = await source.from(participants).findBy("participant", id, userId);
  return member && await source.from(conversations).get(id);
}

/** The ids of the conversations of a user. */
export async function conversationsOf(source: Source, userId: string): Promise<readonly string[]> {
  return (await everyMatch(source, participants, { userId })).map((own) => own.conversationId);
}

/** Those of the conversations in which the user has unread messages, and how many. */
export async function unreadCounts(
  source: Source,
  userId: string,
  conversationId?: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const where = { userId, conversationId, readAt: null };
  const groups = await source.from(receipts).aggregate({ by: "conversationId", where });
  return new Map(groups.map(({ key, count }) => [key, count]));
}

/** Those of the conversations whose name, or the name of another member, holds the text. */
export async function conversationsNamed(
  source: Source,
  userId: string,
  ids: readonly string[],
  text: string,
): Promise<readonly string[]> {
  const wanted = comparable(text);
  const found = await source.from(conversations).getMany(ids);
  const members = await membersOf(source, ids);
  return found.flatMap((conversation) => {
    if (!conversation) return [];
    const others = members.get(conversation.id)?.filter(({ id }) => id !== userId) ?? [];
    const names = [conversation.name ?? "", ...others.map(({ name }) => name)];
    return names.some((name) => comparable(name).includes(wanted)) ? conversation.id : [];
  });
}

async function membersOf(
  source: Source,
  conversationId: readonly string[],
): Promise<ReadonlyMap<string, Person[]>> {
  const found = await everyMatch(source, participants, { conversationId });
  const persons = await personsById(source, found.map((member) => member.userId));
  const members = new Map<string, Person[]>(conversationId.map((id) => [id, []]));
  // They are found newest first, but those who joined first are to be named first.
  for (const { conversationId, userId } of found.toReversed()) {
    const person = persons.get(userId);
    if (person) members.get(conversationId)?.push(person);
  }
  return members;
}

/** Conversations as one of their participants sees them. */
export async function shapeConversations(
  source: Source,
  userId: string,
  shown: readonly Conversation[],
): Promise<PublicConversation[]> {
  const ids = shown.map(({ id }) => id);
  const members = await membersOf(source, ids);
  const unread = await unreadCounts(source, userId, ids);
  const last = await lastMessages(source, userId, shown);
  return shown.map((conversation) => {
    const everyone = members.get(conversation.id) ?? [];
    const other = conversation.type === "private"
      ? everyone.find(({ id }) => id !== userId)
      : undefined;
    const lastMessage = last.get(conversation.id);
    return {
      ...conversation,
      name: conversation.name ?? other?.name,
      avatar: conversation.avatar ?? other?.avatar,
      members: everyone,
      lastMessage,
      lastMessageTime: lastMessage?.createdAt,
      unreadCount: unread.get(conversation.id) ?? 0,
    };
  });
}

/** The last message that the user still has, by conversation. */
async function lastMessages(
  source: Source,
  userId: string,
  shown: readonly Conversation[],
): Promise<ReadonlyMap<string, PublicMessage>> {
  const messageId = shown.flatMap((conversation) => conversation.lastMessageId ?? []);
  const held = await everyMatch(source, receipts, { userId, messageId });
  const lastIds = new Map(held.map((receipt) => [receipt.conversationId, receipt.messageId]));
  for (const { id, lastMessageId } of shown) {
    if (lastMessageId === undefined || lastIds.has(id)) continue;
    // The user deleted the last one for themselves: rare enough for a look of its own.
    const where = { userId, conversationId: id };
    const [receipt] = (await source.from(receipts).list({ where, limit: 1 })).rows;
    if (receipt) lastIds.set(id, receipt.messageId);
  }
  const found = await source.from(messages).getMany([...lastIds.values()]);
  const views = await shapeMessages(source, userId, found.flatMap((message) => message ?? []));
  return new Map(views.map((view) => [view.conversationId, view]));
}
