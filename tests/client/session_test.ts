// The typed client: signing in, silent renewal with many requests and several tabs, errors.
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import {
  ApiError,
  completeSecondFactor,
  confirmTotp,
  ConflictError,
  createDocument,
  createTotp,
  every,
  getCurrentUser,
  getDocument,
  listDocuments,
  login,
  memoryStorage,
  type TokenStorage,
  updateDocument,
  versioned,
} from "../../client/mod.ts";
import { ADMIN, connected } from "./connected.ts";

/** Makes the access token one that has ended, as far as the client knows it. */
function age(storage: TokenStorage): void {
  storage.set({ ...storage.get()!, expiresAt: 0 });
}

const renewals = (asked: readonly string[]) =>
  asked.filter((one) => one === "POST /auth/refresh").length;

Deno.test("client: signs in, asks, signs out here and on the server", async () => {
  await using c = await connected();
  const { client, session, signIn, signOut } = c.another();
  const told: boolean[] = [];
  session.onChange((signedIn) => told.push(signedIn));
  const result = await signIn(ADMIN);
  assert.ok("user" in result && result.user.email === ADMIN.email);
  const token = await session.accessToken();
  assert.equal((await getCurrentUser({ client })).data.email, ADMIN.email);
  await signOut();
  assert.equal(session.signedIn, false);
  assert.deepEqual(told, [true, false]);
  await assert.rejects(getCurrentUser({ client }), { name: "ApiError", status: 401 });
  assert.equal((await c.h.ask("GET", "/api/users/me", { token: token! })).status, 401);
});

Deno.test("client: signs in to variant web, which answers beside the data, and renews by its cookie", async () => {
  await using c = await connected({ variant: "web" });
  const storage = memoryStorage();
  const options = { storage, refreshCookie: true, fetch: c.browser() };
  const { client, session, signIn } = c.another(options);
  const result = await signIn(ADMIN);
  assert.ok("user" in result && result.user.email === ADMIN.email);
  const left = storage.get()!.expiresAt - Date.now();
  assert.ok(left > 800_000 && left <= 900_000, `${left}`);
  age(storage);
  assert.equal((await getCurrentUser({ client })).data.email, ADMIN.email);
  assert.equal(renewals(c.asked), 1);

  const { data: { secret } } = await createTotp({ client });
  const timestamp = c.h.clock.now().getTime();
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  await confirmTotp({ client, body: { code } });
  const waiting = await signIn(ADMIN);
  assert.ok("challenge" in waiting && waiting.methods.includes("totp"));
  assert.ok(session.signedIn);
});

Deno.test("client: many requests at once renew an old token once", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const { client, signIn } = c.another({ storage });
  await signIn(ADMIN);
  age(storage);
  c.asked.length = 0;
  const answers = await Promise.all(Array.from({ length: 20 }, () => getCurrentUser({ client })));
  assert.ok(answers.every(({ data }) => data.email === ADMIN.email));
  assert.equal(renewals(c.asked), 1);
});

Deno.test("client: a token that the server refuses is renewed, and the request sent once more", async () => {
  await using c = await connected();
  const { client, signIn } = c.another();
  await signIn(ADMIN);
  // The server's clock has gone on, the client's has not.
  c.h.clock.advance(16 * 60_000);
  c.asked.length = 0;
  const titles = ["One", "Two", "Three"];
  const made = await Promise.all(
    titles.map((title) => createDocument({ client, body: { title } })),
  );
  assert.deepEqual(made.map(({ data }) => data.title), titles);
  assert.equal(renewals(c.asked), 1);
});

Deno.test("client: two tabs with one storage renew once", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const tabs = [c.another({ storage }), c.another({ storage })];
  await tabs[0]!.signIn(ADMIN);
  age(storage);
  c.asked.length = 0;
  await Promise.all(tabs.map(({ client }) => getCurrentUser({ client })));
  assert.equal(renewals(c.asked), 1);
});

Deno.test("client: the session's end on the server is the end here", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const { client, session, signIn } = c.another({ storage });
  await signIn(ADMIN);
  const { sid } = JSON.parse(atob(storage.get()!.accessToken.split(".")[1]!));
  await c.h.ask("DELETE", `/api/auth/sessions/${sid}`, { token: storage.get()!.accessToken });
  await assert.rejects(getCurrentUser({ client }), { status: 401, code: "UNAUTHORIZED" });
  assert.equal(session.signedIn, false);
});

Deno.test("client: who signs out while a token is renewed stays signed out", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const { session, signIn } = c.another({ storage });
  await signIn(ADMIN);
  age(storage);
  const renewed = Promise.withResolvers<void>();
  const arrives = Promise.withResolvers<void>();
  const slow = c.another({
    storage,
    async fetch(input, init) {
      const response = await c.h.app.fetch(new Request(input, init));
      renewed.resolve();
      await arrives.promise;
      return response;
    },
  });
  const asked = slow.session.accessToken();
  await renewed.promise;
  session.end();
  arrives.resolve();
  assert.equal(await asked, null);
  assert.equal(session.signedIn, false);
});

Deno.test("client: a server out of reach ends no session", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const { signIn } = c.another({ storage });
  await signIn(ADMIN);
  age(storage);
  const offline = c.another({
    storage,
    fetch: () => Promise.reject(new TypeError("connection refused")),
  });
  await assert.rejects(getCurrentUser({ client: offline.client }), {
    name: "ApiError",
    status: 0,
    code: "NETWORK_ERROR",
  });
  assert.equal(offline.session.signedIn, true);
});

Deno.test("client: a wrong password is asked about once, also by somebody signed in", async () => {
  await using c = await connected();
  const { client, signIn } = c.another();
  await signIn(ADMIN);
  c.asked.length = 0;
  await assert.rejects(login({ client, body: { ...ADMIN, password: "wrong" } }), { status: 401 });
  assert.deepEqual(c.asked, ["POST /auth/login"]);
});

Deno.test("client: an API key stands in for a session, and is never renewed", async () => {
  await using c = await connected();
  const made = await c.h.ask("POST", "/api/auth/keys", {
    as: "admin",
    body: { name: "script", scopes: ["documents:view"] },
  });
  assert.equal(made.status, 201, made.text);
  const { client } = c.another({ apiKey: made.data.key });
  assert.deepEqual((await listDocuments({ client })).data, []);
  await assert.rejects(createDocument({ client, body: { title: "No" } }), { status: 403 });
  assert.equal(renewals(c.asked), 0);
});

Deno.test("client: errors tell status, code, fields and the request's id", async () => {
  await using c = await connected();
  const { client, signIn } = c.another();
  await signIn(ADMIN);
  const error = await createDocument({ client, body: { title: "" } }).then(
    () => assert.fail("accepted"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 400);
  assert.equal(error.code, "VALIDATION_ERROR");
  assert.ok(error.problemOf("title"));
  assert.ok(error.requestId);
});

Deno.test("client: of two editors with a version, the slower one meets a conflict", async () => {
  await using c = await connected();
  const { client, signIn } = c.another();
  await signIn(ADMIN);
  const { data: { id } } = await createDocument({ client, body: { title: "Plan" } });
  const path = { id };
  const read = () => versioned(getDocument({ client, path, responseStyle: "fields" }));
  const [one, other] = await Promise.all([read(), read()]);
  const write = (etag: string, title: string) =>
    updateDocument({ client, path, body: { title }, headers: { "If-Match": etag } });
  await write(one.etag, "Plan A");
  await assert.rejects(write(other.etag, "Plan B"), ConflictError);
  assert.equal((await read()).data.title, "Plan A");
});

Deno.test("client: an answer that names no version is none to write over", async () => {
  await using c = await connected();
  const { client, signIn } = c.another();
  await signIn(ADMIN);
  const { data: { id } } = await createDocument({ client, body: { title: "Plan" } });
  const path = { id };
  const query = { include: ["team" as const] };
  await assert.rejects(
    versioned(getDocument({ client, path, query, responseStyle: "fields" })),
    /Cannot tell the version: .* without `include`/,
  );
  // Where the response was not asked for there is no header to read.
  await assert.rejects(versioned(getDocument({ client, path })), /responseStyle: "fields"/);
});

Deno.test("client: walks a list to its end, each record once", async () => {
  await using c = await connected();
  const { client, signIn } = c.another();
  await signIn(ADMIN);
  const titles = Array.from({ length: 7 }, (_, n) => `Page ${n}`);
  for (const title of titles) await createDocument({ client, body: { title } });
  const seen: string[] = [];
  for await (
    const { title } of every(({ cursor }) => listDocuments({ client, query: { limit: 3, cursor } }))
  ) seen.push(title);
  assert.deepEqual(seen.sort(), titles);
});

Deno.test("client: completes a sign-in by a second factor", async () => {
  await using c = await connected();
  const { client, session, signIn } = c.another();
  await signIn(ADMIN);
  const { data: { secret } } = await createTotp({ client });
  const codeIn = (steps: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) })
      .generate({ timestamp: c.h.clock.now().getTime() + steps * 30_000 });
  await confirmTotp({ client, body: { code: codeIn(0) } });

  const waiting = await signIn(ADMIN);
  assert.ok("challenge" in waiting && waiting.methods.includes("totp"));
  const { challenge } = waiting;
  const { data } = await completeSecondFactor({ client, body: { challenge, code: codeIn(1) } });
  assert.ok("accessToken" in data);
  session.begin(data);
  assert.equal((await getCurrentUser({ client })).data.email, ADMIN.email);
});

Deno.test("client: with a cookie for it, the refresh token is in no answer and no storage", async () => {
  await using c = await connected();
  const storage = memoryStorage();
  const { client, signIn, signOut } = c.another({
    storage,
    refreshCookie: true,
    fetch: c.browser(),
  });
  await signIn(ADMIN);
  assert.equal(storage.get()!.refreshToken, undefined);
  age(storage);
  assert.equal((await getCurrentUser({ client })).data.email, ADMIN.email);
  assert.equal(renewals(c.asked), 1);
  assert.equal(storage.get()!.refreshToken, undefined);
  await signOut();
  await assert.rejects(getCurrentUser({ client }), { status: 401 });
});
