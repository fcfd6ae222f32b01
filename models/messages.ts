// Conversations, who takes part, their messages, and who has read what.
import { z } from "zod";
import { enumFilter, flagFilter, listQuery, searched } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { eitherCase, person } from "./requests.ts";

export const conversationType = z.enum(["private", "group"]);

export const conversations = collection("conversations", {
  type: conversationType,
  /** Only groups have a name. */
  name: z.string().optional(),
  avatar: z.string().optional(),
  /** The two user ids of a private conversation, sorted and joined with a colon: there is one per pair. */
  pairKey: z.string().optional(),
  createdBy: z.string(),
  lastMessageId: z.string().optional(),
  /** When the last message was sent; the creation time before the first. */
  lastMessageAt: timestamp,
}, {
  unique: { pair: ["pairKey"] },
  filter: ["type", "createdBy"],
  sort: ["lastMessageAt"],
  search: ["name"],
  references: { createdBy: "users" },
});

export type Conversation = RecordOf<typeof conversations>;

export const participants = collection("participants", {
  conversationId: z.string(),
  userId: z.string(),
}, {
  traits: ["conversationId", "userId"],
  unique: { participant: ["conversationId", "userId"] },
  filter: ["conversationId", "userId"],
  references: { conversationId: "conversations", userId: "users" },
});

export const messageType = z.enum(["text", "image", "file", "system"]);

export const messages = collection("messages", {
  conversationId: z.string(),
  /** Absent once the sender's account is deleted. */
  senderId: z.string().optional(),
  /** The other person; present only in a private conversation. */
  recipientId: z.string().optional(),
  type: messageType,
  content: z.string(),
  /** Bytes that it and its receipts take: they count for the sender. Absent in records of the first release on Deno KV. */
  size: z.number().int().optional(),
}, {
  traits: ["senderId"],
  filter: ["conversationId", "senderId", "recipientId", "type"],
  search: ["content"],
  sum: ["size"],
  references: { conversationId: "conversations", senderId: "users", recipientId: "users" },
});

export type Message = RecordOf<typeof messages>;

/**
 * One per message and participant, the sender included: whoever has one sees the message, and deleting a message for
 * oneself removes one's own. Unread counts are counts of receipts, so they stay exact whoever writes at the
 * same time. A receipt is made in the commit that makes its message, with the same `createdAt`.
 */
export const receipts = collection("receipts", {
  messageId: z.string(),
  conversationId: z.string(),
  userId: z.string(),
  /** True for the receipt of the sender: its `readAt` is the time of sending. */
  sent: z.boolean(),
  /** The type of the message, copied so that a mailbox can be filtered by it. */
  type: messageType,
  readAt: timestamp.optional(),
}, {
  traits: ["messageId", "conversationId", "userId"],
  unique: { receipt: ["messageId", "userId"] },
  filter: ["messageId", "conversationId", "userId", "sent", "type", "readAt"],
  references: { messageId: "messages", conversationId: "conversations", userId: "users" },
});

export type Receipt = RecordOf<typeof receipts>;

/**
 * A message that a participant has deleted for themselves, in the commit that ended their receipt of it. What one still
 * holds is all messages of one's conversations but these, so that a search needs not read all one's receipts.
 */
export const hiddenMessages = collection("hiddenMessages", {
  messageId: z.string(),
  conversationId: z.string(),
  userId: z.string(),
  /** Whether they had not read it. Absent where they had, and in records of the first releases. */
  unread: z.boolean().optional(),
}, {
  filter: ["messageId", "conversationId", "userId"],
  references: { messageId: "messages", conversationId: "conversations", userId: "users" },
});

/** A message as one of its participants sees it. */
export const publicMessage = z.object({
  id: z.string(),
  conversationId: z.string(),
  /** Empty once the sender's account is deleted. */
  senderId: z.string(),
  sender: person,
  recipientId: z.string().optional(),
  type: messageType,
  content: z.string(),
  /** For a recipient: whether they have read it. For the sender: whether every recipient has; nobody reads what they deleted unread. */
  read: z.boolean(),
  readAt: timestamp.optional(),
  createdAt: timestamp,
}).meta({ id: "Message" });

export type PublicMessage = z.input<typeof publicMessage>;

/** A conversation as one of its participants sees it. */
export const publicConversation = z.object({
  id: z.string(),
  /** In a private conversation, the name of the other person. */
  name: z.string().optional(),
  type: conversationType,
  avatar: z.string().optional(),
  members: z.array(person),
  lastMessage: publicMessage.optional(),
  lastMessageTime: timestamp.optional(),
  unreadCount: z.number().int(),
}).meta({ id: "Conversation" });

export type PublicConversation = z.input<typeof publicConversation>;

export const conversationDetails = publicConversation.extend({
  /** One page of them, newest first. */
  messages: z.array(publicMessage),
}).meta({ id: "ConversationDetails" });

/** The most people that a group may have besides its creator. */
const MAX_OTHERS = 100;

const recipient = z.string().min(1).max(128);

/** What a message says; where it goes is told beside it. */
export const messageText = z.object({
  content: z.string().max(10_000).refine((text) => text.trim() !== "", "must not be empty"),
  /** Only the server writes system messages. */
  type: eitherCase(messageType.exclude(["system"])).default("text"),
});

export const messageCreation = z.object({
  conversationId: recipient.optional(),
  recipientId: recipient.optional(),
  participantIds: z.array(recipient).min(1).max(MAX_OTHERS).optional(),
  ...messageText.shape,
  /** Name for a new group. */
  name: z.string().trim().max(200).optional(),
}).refine(
  ({ conversationId, recipientId, participantIds }) =>
    [conversationId, recipientId, participantIds].filter((to) => to !== undefined).length === 1,
  {
    path: ["recipientId"],
    error: "give exactly one of conversationId, recipientId and participantIds",
  },
);

export type MessageCreation = z.output<typeof messageCreation>;

/** A mailbox is listed by the caller's receipts; still, `id` in the query is the id of a message. */
export const messageListQuery = listQuery(receipts, {
  hidden: ["messageId", "userId", "sent", "updatedAt"],
  search: true,
  own: {
    search: searched.meta({
      description: "A text to be found in `content`, in letters of either case",
    }),
    read: flagFilter.meta({
      description:
        "Whether you have read it yourself: what you sent counts as read, whatever its own `read` says of the recipients",
    }),
    unread: flagFilter.meta({ description: "Whether you have yet to read it" }),
    folder: enumFilter(z.enum(["inbox", "sent"])),
  },
});

export type MessageListQuery = z.output<typeof messageListQuery>;

/** Turns the conditions of a query on messages into conditions on their receipts. */
export function receiptsAsked({ id, ...asked }: MessageWhere): MessageWhere {
  return { ...asked, messageId: id };
}

type MessageWhere = MessageListQuery["where"];

export const conversationListQuery = listQuery(conversations, {
  hidden: ["createdBy"],
  own: {
    search: searched.meta({
      description:
        "A text to be found in the names of groups and of the other members, in letters of either case",
    }),
    unread: flagFilter.meta({ description: "Whether it holds what you have yet to read" }),
  },
});

export const conversationQuery = listQuery(receipts, {
  hidden: ["messageId", "conversationId", "userId", "sent", "updatedAt"],
});
