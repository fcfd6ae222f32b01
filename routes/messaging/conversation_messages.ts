// The messages of one conversation: read, sent, marked and deleted by the path of the conversation.
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { existing, notFound } from "../../core/errors.ts";
import { conversationQuery, messageText, publicMessage, receipts } from "../../models/messages.ts";
import { deleted } from "../../models/requests.ts";
import { joinedConversation, planDestination } from "../../services/messaging/conversations.ts";
import {
  heldMessage,
  messageVersion,
  planAllRead,
  planDeletion,
  planMessage,
} from "../../services/messaging/messages.ts";
import { Piece } from "../../storage/pieces.ts";
import { KIB } from "../../core/units.ts";
import { messagesIn } from "./conversations.ts";
import { shownMessage } from "./messages.ts";

const tag = "Messages";

const list = endpoint({
  operationId: "listConversationMessages",
  method: "get",
  path: "/messages/conversations/{id}/messages",
  tag,
  summary: "List the messages of a conversation",
  description: "Newest first.",
  access: ["messages:view", "messages:create"],
  query: conversationQuery,
  list: true,
  data: z.array(publicMessage),
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { store, principal, params } = call;
    existing(await joinedConversation(store, params.id, principal.user.id), "conversation");
    const { shown, pagination } = await messagesIn(call, params.id);
    return { data: shown, pagination };
  },
});

const send = endpoint({
  operationId: "sendConversationMessage",
  method: "post",
  path: "/messages/conversations/{id}/messages",
  tag,
  summary: "Send a message to a conversation",
  description: "As `POST /messages` with its `conversationId`.",
  access: ["messages:create", "messages:view"],
  created: true,
  body: messageText,
  bodyLimit: 128 * KIB,
  data: publicMessage,
  errors: ["NOT_FOUND", "CONFLICT"],
  async handle(call) {
    const { user } = call.principal;
    const conversationId = call.params.id;
    const message = await call.transact(async (tx) => {
      existing(await joinedConversation(tx, conversationId, user.id), "conversation");
      const to = await planDestination(tx, user, { ...call.body, conversationId });
      return planMessage(tx, user, to, call.body);
    });
    const held = await heldMessage(call.store, message.id, user.id);
    return { ...await shownMessage(call, held), message: "The message is sent" };
  },
});

const markRead = endpoint({
  operationId: "markConversationRead",
  method: "put",
  path: "/messages/conversations/{id}/read",
  tag,
  summary: "Mark all messages of a conversation as read",
  description: "However many; `count` is how many were unread.",
  access: ["messages:view", "messages:update", "messages:create"],
  data: z.object({ count: z.number().int() }),
  errors: ["NOT_FOUND"],
  async handle(call) {
    const conversationId = call.params.id;
    const userId = call.principal.user.id;
    // Messages that arrive while this runs stay unread.
    const where = { conversationId, userId, readAt: null, createdAt: { lte: call.now } };
    let count = 0;
    for (let left = true; left;) {
      count += await call.transact(async (tx) => {
        existing(await joinedConversation(tx, conversationId, userId), "conversation");
        const piece = new Piece();
        const unread = await piece.take(tx, receipts, where);
        await planAllRead(tx, unread);
        left = !piece.whole;
        return unread.length;
      });
    }
    return { data: { count }, message: "The conversation is marked as read" };
  },
});

const remove = endpoint({
  operationId: "deleteConversationMessage",
  method: "delete",
  path: "/messages/conversations/{id}/messages/{messageId}",
  tag,
  summary: "Delete a message of a conversation",
  description:
    "Its sender deletes it for everyone. A recipient deletes it for themselves alone: the others keep it.",
  access: ["messages:view", "messages:delete", "messages:create"],
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id, messageId } = call.params;
    await call.transact(async (tx) => {
      const held = await heldMessage(tx, messageId, call.principal.user.id);
      if (held.message.conversationId !== id) throw notFound("message");
      assertMatch(call, await messageVersion(tx, held));
      await planDeletion(tx, held);
    });
    return { data: { id: messageId }, message: "The message is deleted" };
  },
});

export const conversationMessageRoutes = [list, send, markRead, remove];
