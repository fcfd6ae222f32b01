// Someone who has left something in every part of the product, all of it with their name, address or place.
import assert from "node:assert/strict";
import { allCollections } from "../../../models/all.ts";
import { identities } from "../../../models/identities.ts";
import { passkeys } from "../../../models/passkeys.ts";
import { MINUTE } from "../../../core/units.ts";
import { type Ask, type Harness, PASSWORD, PROVIDER } from "../../harness.ts";
import { form as pictureForm } from "../../uploads.ts";

export const FROM = "203.0.113.77";
const BROWSER = "Zeldamirabrowser/9.1";

/**
 * What names them, or tells where they were; in lower case. None of it may stand in a salt or hash by chance: the many
 * of an audit log would have a word of five letters once in some thousand runs.
 */
export const MARKS = [
  "zeldamira",
  "quixworth",
  "other@example.com",
  "other person",
  "+1 555 0177",
  FROM,
];

/** What they left, and how they ask for more. */
export interface Person {
  readonly id: string;
  readonly token: string;
  readonly refreshToken: string;
  /** One that was revoked is not among them. */
  readonly key: string;
  /** That the others hold too. */
  readonly messageId: string;
  /** That nobody else holds any more. */
  readonly forgottenId: string;
  readonly documentId: string;
  readonly teamId: string;
  readonly eventId: string;
  readonly snippetId: string;
}

/** Fills what `other` has in variant full. */
export async function leaveTraces(h: Harness): Promise<Person> {
  const { accounts } = h;
  await h.grant(
    "other",
    "documents:create",
    "documents:update",
    "documents:delete",
    "teams:create",
    "teams:update",
    "files:create",
    "webhooks:create",
    "webhooks:update",
    "webhooks:view",
  );
  const login = await h.ask("POST", "/api/auth/login", {
    body: { email: accounts.other.email, password: PASSWORD },
    from: FROM,
    headers: { "user-agent": BROWSER },
  });
  const { accessToken: token, refreshToken } = login.data;
  const cookie = login.headers.getSetCookie().map((one) => one.split(";", 1)[0]).join("; ");
  const own = (method: string, path: string, body?: unknown) =>
    send(h, method, path, { token, body });
  await own("PUT", "/api/users/me", {
    name: "Zeldamira Quixworth",
    username: "zeldamiraq",
    phone: "+1 555 0177",
    bio: "Quixworth of old",
    avatar: "/zeldamira.png",
  });
  await own("PUT", "/api/users/me", {
    email: "zeldamira@quixworth.example",
    currentPassword: PASSWORD,
  });
  const { key } = await own("POST", "/api/auth/keys", {
    name: "Zeldamira's laptop",
    scopes: ["documents:view"],
  });
  const revoked = await own("POST", "/api/auth/keys", {
    name: "Zeldamira's phone",
    scopes: ["documents:view"],
  });
  const { id } = accounts.other;
  await send(h, "DELETE", `/api/users/${id}/keys/${revoked.id}`, {
    as: "super",
    from: "127.0.0.1",
  });
  await own("POST", "/api/auth/mfa/totp");
  const hook = { url: "https://hooks.zeldamira.example/in", events: ["*"] };
  const { id: hookId } = await own("POST", "/api/webhooks", hook);
  await own("POST", `/api/webhooks/${hookId}/test`);
  await leavePasskeys(h, id);

  await h.store.transact({ userId: id, ip: FROM }, (tx) =>
    tx.insert(identities, {
      userId: id,
      issuer: PROVIDER.issuer,
      subject: "person-1",
      email: "zeldamira@quixworth.example",
    }));

  const kept = await own("POST", "/api/messages", {
    recipientId: accounts.user.id,
    content: "See you",
  });
  const forgotten = await own("POST", "/api/messages", {
    recipientId: accounts.admin.id,
    content: "Burn this",
  });
  await send(h, "DELETE", `/api/messages/${forgotten.id}`, { as: "admin", from: "127.0.0.1" });
  const document = await own("POST", "/api/documents", { title: "Plan", content: "# A draft" });
  await own("PUT", `/api/documents/${document.id}`, { content: "# A plan" });
  const thrownAway = await own("POST", "/api/documents", { title: "Rhyme", content: "Roses" });
  await own("DELETE", `/api/documents/${thrownAway.id}`);
  await own("POST", `/api/documents/${document.id}/share`, { userId: accounts.user.id });
  const team = await own("POST", "/api/teams", { name: "Crew" });
  await own("POST", `/api/teams/${team.id}/members`, { userId: accounts.user.id });
  const event = await own("POST", "/api/calendar/events", {
    title: "Kick-off",
    start: "2026-12-01T10:00:00Z",
    attendeeIds: [accounts.user.id],
  });
  await own("POST", `/api/calendar/events/${event.id}/reminder`, { minutesBefore: 10 });
  const snippet = await own("POST", "/api/share", { content: "<p>x</p>", userId: id });
  await send(h, "POST", "/api/checkin", { headers: { cookie, "user-agent": BROWSER } });
  const form = new FormData();
  form.set("file", new File(["%PDF-1.7\n%%EOF\n"], "hello.pdf"));
  await own("POST", "/api/files/upload", form);
  await own("PUT", "/api/users/me/avatar", pictureForm());
  await own("PUT", "/api/users/me/preferences", { views: [{ search: "Quixworth" }] });
  await h.app.services.visits.flush();
  h.clock.advance(MINUTE);
  return {
    id,
    token,
    refreshToken,
    key,
    messageId: kept.id,
    forgottenId: forgotten.id,
    documentId: document.id,
    teamId: team.id,
    eventId: event.id,
    snippetId: snippet.id,
  };
}

/** One that they have, and one that was removed. */
async function leavePasskeys({ store, accounts }: Harness, userId: string): Promise<void> {
  const [kept, removed] = await store.transact(
    { userId, ip: FROM, requestId: "zeldamira-1" },
    (tx) =>
      ["Zeldamira's ring", "Zeldamira's watch"].map((name) =>
        tx.insert(passkeys, {
          userId,
          name,
          credentialId: crypto.randomUUID(),
          publicKey: crypto.randomUUID(),
          signCount: 0,
          transports: [],
          synced: false,
        })
      ),
  );
  assert.ok(kept);
  await store.transact({ userId: accounts.super.id }, async (tx) => {
    tx.remove(passkeys, (await tx.from(passkeys).get(removed!.id))!);
  });
}

// deno-lint-ignore no-explicit-any -- whatever the route answers with
async function send(h: Harness, method: string, path: string, ask: Ask): Promise<any> {
  const headers = ask.as ? undefined : { "user-agent": BROWSER };
  const reply = await h.ask(method, path, { from: FROM, headers, ...ask });
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return reply.data;
}

/** The names of the collections of which a record holds one of the marks. */
export async function collectionsThatTell({ store }: Pick<Harness, "store">): Promise<string[]> {
  const found = new Set<string>();
  for (const collection of allCollections) {
    for await (const record of store.from(collection).scan()) {
      const text = JSON.stringify(record).toLowerCase();
      if (MARKS.some((mark) => text.includes(mark))) found.add(collection.name);
    }
  }
  return [...found].sort();
}
