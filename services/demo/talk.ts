// The demo's conversations, read up to a point, and notifications.
import {
  conversations,
  type Message,
  messages,
  participants,
  receipts,
} from "../../models/messages.ts";
import { type Notification, notifications } from "../../models/notifications.ts";
import type { People } from "./people.ts";
import { type Stored, type World } from "./world.ts";
import { DAY, HOUR, MINUTE } from "../../core/units.ts";

interface Member {
  readonly id: string;
  readonly name: string;
}

const LINES = [
  "Good morning! Did you see the new figures?",
  "Yes, they look better than expected.",
  "Shall we go through them at eleven?",
  "Eleven works. I will bring the draft.",
  "One question about the second page: is the total right?",
  "It was not, thank you. It is now.",
  "The customer asked for one more week.",
  "That is fine with me, if support agrees.",
  "They do. I will answer today.",
  "The build is green again.",
  "Great. Then we can release this afternoon.",
  "Released. Nothing unusual so far.",
];

/** The last so many messages of a conversation are unread. */
const UNREAD = 2;

export function addTalk(world: World, people: People): void {
  const { accounts: { admin, user, guest }, chief, colleagues } = people;
  const colleague = (n: number): Member => colleagues[n]!;
  const pairs: [Member, Member][] = [
    [user, admin],
    [colleague(0), user],
    [colleague(1), admin],
    [admin, guest],
    [colleague(2), colleague(3)],
    ...chief ? [[admin, chief], [user, chief]] as [Member, Member][] : [],
  ];
  pairs.forEach((pair, index) => addConversation(world, pair, { index }));
  const everyone = [admin, user, ...chief ? [chief] : []];
  addConversation(world, [colleague(0), ...everyone, colleague(1)], { index: 7, name: "Release" });
  addConversation(world, [colleague(2), ...everyone, guest], { index: 8, name: "Summer party" });
  addNotifications(world, people);
}

/** @param members The first of them started it. */
function addConversation(
  world: World,
  members: readonly Member[],
  { index, name }: { index: number; name?: string },
): void {
  const { random } = world;
  const count = random.int(6, LINES.length);
  const started = world.now - random.int(3, 20) * DAY;
  const end = world.now - (index * 40 + 15) * MINUTE;
  const times = Array.from(
    { length: count },
    (_, n) => started + (end - started) * (n + 1) / count,
  );
  const conversation = world.add(conversations, started, {
    type: name === undefined ? "private" : "group",
    name,
    pairKey: name === undefined ? members.map(({ id }) => id).sort().join(":") : undefined,
    createdBy: members[0]!.id,
    lastMessageAt: world.iso(times.at(-1)!),
  });
  for (const { id: userId } of members) {
    world.add(participants, started, { conversationId: conversation.id, userId });
  }
  // Whoever started it says the last words too, so that everyone else has something unread.
  const senders = times.map((_, n) =>
    n >= count - UNREAD ? members[0]! : members[n % members.length]!
  );
  const sent = times.map((at, n) =>
    addMessage(world, {
      conversationId: conversation.id,
      sender: senders[n]!,
      others: members.filter((member) => member !== senders[n]),
      content: LINES[(index + n) % LINES.length]!,
      at,
      read: n < count - UNREAD,
      isPrivate: name === undefined,
    })
  );
  Object.assign(conversation, { lastMessageId: sent.at(-1)!.id });
}

function addMessage(world: World, message: {
  conversationId: string;
  sender: Member;
  others: readonly Member[];
  content: string;
  at: number;
  read: boolean;
  isPrivate: boolean;
}): Stored<Message> {
  const { conversationId, sender, others, content, at, read } = message;
  const added = world.add(messages, at, {
    conversationId,
    senderId: sender.id,
    recipientId: message.isPrivate ? others[0]!.id : undefined,
    type: "text",
    content,
  });
  const receipt = { messageId: added.id, conversationId, type: "text" as const };
  const sentAt = added.createdAt;
  world.add(receipts, at, { ...receipt, userId: sender.id, sent: true, readAt: sentAt });
  const readAt = read ? world.iso(at + 5 * MINUTE) : undefined;
  for (const { id: userId } of others) {
    world.add(receipts, at, { ...receipt, userId, sent: false, readAt });
    if (read) continue;
    world.add(notifications, at, {
      userId,
      type: "message",
      title: `New message from ${sender.name}`,
      content,
      link: `/messages/${conversationId}`,
      read: false,
      subjectId: added.id,
      aboutId: sender.id,
    });
  }
  return added;
}

const NOTICES: readonly Pick<Notification, "type" | "title" | "content" | "link">[] = [
  {
    type: "system",
    title: "Welcome",
    content: "This is demo data. Change whatever you like.",
    link: "/dashboard",
  },
  {
    type: "user",
    title: "A new colleague",
    content: "Ruth Abrams has joined.",
    link: "/users",
  },
  {
    type: "task",
    title: "A task is due",
    content: "Review the access rights is due this week.",
    link: "/dashboard",
  },
  {
    type: "alert",
    title: "The certificate expires",
    content: "Renew the certificate is due tomorrow.",
    link: "/dashboard",
  },
];

/** The older half is read. */
function addNotifications(world: World, { protagonists }: People): void {
  for (const { id: userId } of protagonists) {
    NOTICES.forEach((notice, index) => {
      const at = world.now - (NOTICES.length - index) * 9 * HOUR;
      const read = index < NOTICES.length / 2;
      const readAt = read ? world.iso(at + HOUR) : undefined;
      world.add(notifications, at, { ...notice, userId, read, readAt });
    });
  }
}
