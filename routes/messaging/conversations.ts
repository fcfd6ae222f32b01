// Conversations of variant full: one's own, each with its members, its last message and a page of messages.
import { z } from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { existing } from "../../core/errors.ts";
import {
  type Conversation,
  conversationDetails,
  conversationListQuery,
  conversationQuery,
  conversations,
  messages,
  publicConversation,
  type Receipt,
  receipts,
  receiptsAsked,
} from "../../models/messages.ts";
import {
  conversationsNamed,
  conversationsOf,
  joinedConversation,
  shapeConversations,
  unreadCounts,
} from "../../services/messaging/conversations.ts";
import { listing, pagination } from "../../http/lists.ts";
import type { Principal } from "../../services/access/access.ts";
import type { Store } from "../../storage/port.ts";
import { shapeMessages } from "../../services/messaging/messages.ts";

const tag = "Messages";
const access = ["messages:view", "messages:create"] as const;

const list = endpoint({
  operationId: "listConversations",
  method: "get",
  path: "/messages/conversations",
  tag,
  summary: "List one's conversations",
  description:
    "Those with the latest messages first. `search` looks into the names of groups and of the other members.",
  access,
  query: conversationListQuery,
  list: true,
  data: z.array(publicConversation),
  async handle(call) {
    const { unread } = call.query;
    const { search, sort = "-lastMessageAt", ...paging } = listing<Conversation>(call.query);
    const userId = call.principal.user.id;
    let id = await conversationsOf(call.store, userId);
    if (search) id = await conversationsNamed(call.store, userId, id, search);
    if (unread !== undefined) {
      const counts = await unreadCounts(call.store, userId);
      id = id.filter((one) => counts.has(one) === unread);
    }
    const where = { all: [call.query.where, { id }] };
    const page = await call.store.from(conversations).list({ ...paging, sort, where });
    return {
      data: await shapeConversations(call.store, userId, page.rows),
      pagination: pagination(paging, page),
    };
  },
});

const details = endpoint({
  operationId: "getConversation",
  method: "get",
  path: "/messages/conversations/{id}",
  tag,
  summary: "Conversation details",
  description: "With its messages, newest first: page, limit and cursor walk through them.",
  access,
  query: conversationQuery,
  list: true,
  data: conversationDetails,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const userId = call.principal.user.id;
    const conversation = existing(
      await joinedConversation(call.store, call.params.id, userId),
      "conversation",
    );
    const { shown: messages, pagination } = await messagesIn(call, conversation.id);
    const [shown] = await shapeConversations(call.store, userId, [conversation]);
    return { data: { ...shown!, messages }, pagination };
  },
});

/** A page of the messages that the caller has of a conversation. */
export async function messagesIn(
  { store, principal, query }: {
    readonly store: Store;
    readonly principal: Principal;
    readonly query: z.output<typeof conversationQuery>;
  },
  conversationId: string,
) {
  const userId = principal.user.id;
  const paging = listing<Receipt>(query);
  const held = await store.from(receipts).list({
    ...paging,
    where: { ...receiptsAsked(query.where), userId, conversationId },
  });
  const found = await store.from(messages).getMany(held.rows.map((row) => row.messageId));
  const rows = found.flatMap((message) => message ?? []);
  return {
    shown: await shapeMessages(store, userId, rows),
    pagination: pagination(paging, held),
  };
}

export const conversationRoutes = [list, details];
