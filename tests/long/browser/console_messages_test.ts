// The console's messages in a real browser: written, answered and deleted in two windows, and without a network.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../../until.ts";
import {
  ask,
  endSessionAt,
  fieldReady,
  go,
  leave,
  noProblems,
  openAs,
  person,
  row,
  said,
  type Scene,
  shows,
  type SignedIn,
  signIn,
  signInAgain,
  startScene,
} from "./console.ts";

const entry = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Conversations" }).getByRole("link").filter({
    hasText: name,
  });
const thread = (page: Page) => page.getByRole("log", { name: "Message" });
const bubble = (page: Page, text: string) =>
  thread(page).locator(".bubble").filter({ hasText: text });
const field = (page: Page) => page.getByRole("textbox", { name: "Write a message" });
const press = (within: Page | Locator, name: string) =>
  within.getByRole("button", { name, exact: true }).click();

async function write(page: Page, text: string) {
  await field(page).fill(text);
  await field(page).press("Enter");
  await bubble(page, text).waitFor();
}

/** Somebody, signed in. */
async function somebody(scene: Scene, name: string): Promise<SignedIn> {
  const { email } = await person(scene, name, { role: "user" });
  return await signIn(scene.server.origin, email);
}

interface Message {
  readonly id: string;
  readonly content: string;
}

const messagesOf = (
  { server: { origin } }: Scene,
  who: SignedIn,
  id: string,
): Promise<readonly Message[]> =>
  ask(origin, who, "GET", `/messages/conversations/${id}/messages?limit=100`);

const contents = async (scene: Scene, who: SignedIn, id: string) =>
  (await messagesOf(scene, who, id)).map(({ content }) => content).toReversed();

const opened = (page: Page) => new URL(page.url()).pathname.split("/").at(-1)!;

async function talk(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const ada = await somebody(scene, "Ada Byron");
  const theirs = await openAs(browser, ada);
  await go(theirs.page, `${origin}/messages`, "Messages");
  await said(theirs.page, "No conversation yet");
  await said(theirs.page, "What people write to you stands here");
  await noProblems(theirs.page, "no conversation");

  const mine = await openAs(browser, admin);
  const { page } = mine;
  await go(page, `${origin}/messages`, "Messages");
  await press(page, "New message");
  const dialog = page.getByRole("dialog", { name: "New message" });
  await press(dialog, "Send");
  await said(page, "Choose at least one person");
  await said(page, "Write something");
  await dialog.getByRole("combobox", { name: "To" }).fill("Ada");
  await page.getByRole("option", { name: /Ada Byron/ }).click();
  await dialog.getByLabel("Message").fill("All hands at noon");
  await noProblems(page, "a new message");
  await press(dialog, "Send");
  await bubble(page, "All hands at noon").waitFor();

  // It is there by itself, and counted until it is read.
  await entry(theirs.page, "Administrator").getByTitle("1 unread").waitFor();
  await write(page, "Bring the charts");
  await entry(theirs.page, "Administrator").getByTitle("2 unread").waitFor();
  await noProblems(theirs.page, "the list of conversations");
  await entry(theirs.page, "Administrator").click();
  await bubble(theirs.page, "Bring the charts").waitFor();
  await entry(theirs.page, "Administrator").getByTitle(/unread/).waitFor({ state: "detached" });
  await bubble(page, "Bring the charts").getByText("Read", { exact: true }).waitFor();
  await write(theirs.page, "Aye");
  await bubble(page, "Aye").waitFor();
  await entry(page, "Ada Byron").getByTitle(/unread/).waitFor({ state: "detached" });
  await noProblems(page, "a conversation");

  // What is begun stays, whatever one looks at meanwhile.
  await field(page).fill("Not yet fin");
  await page.getByRole("link", { name: "Calendar" }).click();
  await page.getByRole("heading", { level: 1, name: "Calendar" }).waitFor();
  await page.goBack();
  await bubble(page, "Aye").waitFor();
  await shows(() => field(page).inputValue(), "Not yet fin");
  await field(page).fill("");
  await leave([mine, theirs]);
}

/** Whoever has sent a message takes it from everyone; others from themselves alone. */
async function deleted(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { user: { id } } = await signIn(origin, "ada.byron@example.com");
  const ada = await signIn(origin, "ada.byron@example.com");
  const to = { recipientId: id };
  const { conversationId } = await ask(origin, admin, "POST", "/messages", {
    ...to,
    content: "Slip",
  });
  await ask(origin, admin, "POST", "/messages", { ...to, content: "Anchor" });
  const [mine, theirs] = [await openAs(browser, admin), await openAs(browser, ada)];
  for (const { page } of [mine, theirs]) {
    await go(page, `${origin}/messages/${conversationId}`, "Messages");
    await bubble(page, "Slip").waitFor();
  }
  const remove = async (page: Page, text: string, name: string, title: string) => {
    await bubble(page, text).getByRole("button", { name }).focus();
    await page.keyboard.press("Enter");
    const question = page.getByRole("alertdialog", { name: title });
    await question.getByRole("button", { name }).click();
    await bubble(page, text).waitFor({ state: "detached" });
    // The focus is not lost with what had it.
    await page.locator(".talk-said:focus").waitFor();
  };
  const forMe = "Delete this message for yourself?";
  await remove(theirs.page, "Anchor", "Delete for me", forMe);
  assert.equal(await bubble(mine.page, "Anchor").count(), 1);
  const forAll = "Delete this message for everyone?";
  await remove(mine.page, "Slip", "Delete for everyone", forAll);
  await bubble(theirs.page, "Slip").waitFor({ state: "detached" });
  assert.ok((await contents(scene, admin, conversationId)).includes("Anchor"));
  assert.ok(!(await contents(scene, ada, conversationId)).includes("Anchor"));
  await leave([mine, theirs]);
}

async function searched(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const people = [await somebody(scene, "Grace Murray"), await somebody(scene, "Alan Mathison")];
  for (const { user } of people) {
    await ask(origin, admin, "POST", "/messages", { recipientId: user.id, content: "Hello" });
  }
  const participantIds = people.map(({ user }) => user.id);
  const group = { participantIds, name: "Night watch", content: "Who is awake?" };
  const { conversationId } = await ask(origin, admin, "POST", "/messages", group);
  const window = await openAs(browser, admin);
  const { page } = window;
  await go(page, `${origin}/messages/${conversationId}`, "Messages");
  await entry(page, "Alan Mathison").waitFor();
  await page.getByRole("log").focus();
  await page.keyboard.press("/");
  await fieldReady(page);
  await page.keyboard.type("grace");
  await entry(page, "Alan Mathison").waitFor({ state: "detached" });
  await entry(page, "Grace Murray").waitFor();
  // Groups are found by their people, too; the one that is open stays open.
  await entry(page, "Night watch").waitFor();
  await page.getByRole("searchbox").fill("alan mat");
  await entry(page, "Grace Murray").waitFor({ state: "detached" });
  await entry(page, "Alan Mathison").click();
  await page.getByRole("heading", { name: "Alan Mathison" }).waitFor();
  await page.getByRole("searchbox").fill("nobody at all");
  await said(page, "Nobody found");
  await page.getByRole("heading", { name: "Alan Mathison" }).waitFor();
  await noProblems(page, "a search");
  await leave([window]);
}

/** Nothing is lost with the network, and nothing comes twice. */
async function offline(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const ada = await signIn(origin, "ada.byron@example.com");
  const first = { recipientId: ada.user.id, content: "Weigh anchor" };
  const { conversationId } = await ask(origin, admin, "POST", "/messages", first);
  const mine = await openAs(browser, admin);
  const theirs = await openAs(browser, ada);
  const { page, context } = mine;
  for (const { page } of [mine, theirs]) {
    await go(page, `${origin}/messages/${conversationId}`, "Messages");
    await bubble(page, "Weigh anchor").waitFor();
  }
  await context.setOffline(true);
  await write(page, "Fog ahead");
  await bubble(page, "Fog ahead").getByText("Waits for the connection").waitFor();
  await write(page, "Slow down");
  await bubble(page, "Slow down").getByText("Waits for the connection").waitFor();
  await write(theirs.page, "We hear you");
  await noProblems(page, "what waits");
  // It waits also where one has gone elsewhere.
  await entry(page, "Grace Murray").click();
  await page.getByRole("heading", { name: "Grace Murray" }).waitFor();
  await entry(page, "Ada Byron").click();
  await bubble(page, "Slow down").waitFor();
  await context.setOffline(false);
  await bubble(theirs.page, "Slow down").waitFor();
  await bubble(page, "We hear you").waitFor();
  await page.getByText("Waits for the connection").first().waitFor({ state: "detached" });

  // The server has taken it, and its answer is lost: it is sent again, and is the same.
  let lost = 0;
  await page.route("**/messages/conversations/*/messages", async (route) => {
    if (route.request().method() !== "POST" || lost++ > 0) return await route.fallback();
    await route.fetch();
    await route.abort();
  });
  await write(page, "Land in sight");
  await bubble(theirs.page, "Land in sight").waitFor();
  await until(() => lost > 1, "the second try");
  await page.getByText("Waits for the connection").waitFor({ state: "detached" });
  assert.equal(lost, 2);
  assert.equal(await bubble(page, "Land in sight").count(), 1);

  // Its event comes before its answer: it stands there once.
  await page.unrouteAll();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/messages/conversations/*/messages", async (route) => {
    if (route.request().method() !== "POST") return await route.fallback();
    const response = await route.fetch();
    await answered;
    await route.fulfill({ response });
  });
  await write(page, "Sail ho");
  await bubble(page, "Sail ho").getByRole("button", { name: "Delete for everyone" }).waitFor();
  assert.equal(await bubble(page, "Sail ho").count(), 1);
  answer();
  await page.unrouteAll({ behavior: "wait" });

  // What the server refuses is told, and can be sent again.
  await page.route("**/messages/conversations/*/messages", async (route) => {
    if (route.request().method() !== "POST") return await route.fallback();
    const json = { code: "FORBIDDEN", detail: "Not now" };
    await route.fulfill({ status: 403, json, contentType: "application/problem+json" });
  });
  await write(page, "Drop anchor");
  await bubble(page, "Drop anchor").getByText("Not now").waitFor();
  // One need not scroll to see that.
  const isAtEnd = () =>
    page.evaluate<boolean>(`(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector(".talk-said");
      return scrollHeight - scrollTop - clientHeight < 2;
    })()`);
  await until(isAtEnd, "the end of the conversation");
  await page.unrouteAll();
  await press(bubble(page, "Drop anchor"), "Send again");
  await bubble(theirs.page, "Drop anchor").waitFor();

  const sent = (await contents(scene, admin, conversationId)).slice(-6);
  assert.deepEqual(sent.toSorted(), [
    "Drop anchor",
    "Fog ahead",
    "Land in sight",
    "Sail ho",
    "Slow down",
    "We hear you",
  ]);
  assert.ok(sent.indexOf("Fog ahead") < sent.indexOf("Slow down"));
  await leave([mine, theirs], /ERR_INTERNET_DISCONNECTED|ERR_FAILED|403/);
}

/** What is sent when the session has ended goes out once its writer is back, and not in the name of somebody else. */
async function signedOut(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const ada = await signIn(origin, "ada.byron@example.com");
  const first = { recipientId: ada.user.id, content: "All hands" };
  const { conversationId } = await ask(origin, admin, "POST", "/messages", first);
  const window = await openAs(browser, admin);
  const { page } = window;
  const sent = () => contents(scene, ada, conversationId);
  await go(page, `${origin}/messages/${conversationId}`, "Messages");
  await endSessionAt(page, "POST", "**/messages/conversations/*/messages");
  await field(page).fill("Hoist the flag");
  await field(page).press("Enter");
  await signInAgain(page);
  await bubble(page, "Hoist the flag").waitFor();
  await shows(async () => (await sent()).at(-1), "Hoist the flag");

  await endSessionAt(page, "POST", "**/messages/conversations/*/messages");
  await field(page).fill("Not for Ada to send");
  await field(page).press("Enter");
  await signInAgain(page, "ada.byron@example.com");
  await bubble(page, "Hoist the flag").waitFor();
  await field(page).fill("Aye");
  await field(page).press("Enter");
  await shows(async () => (await sent()).slice(-2), ["Hoist the flag", "Aye"]);
  await leave([window], /401/);
}

/** As far back as somebody wants to read. */
async function long(scene: Scene) {
  const { server: { origin }, browser, admin } = scene;
  const { user } = await somebody(scene, "Mary Winston");
  const send = (content: string) =>
    ask(origin, admin, "POST", "/messages", { recipientId: user.id, content });
  let id = "";
  for (let i = 1; i <= 120; i++) ({ conversationId: id } = await send(`Line ${i}.`));
  const window = await openAs(browser, admin, { width: 320, height: 700 });
  const { page } = window;
  await go(page, `${origin}/messages/${id}`, "Messages");
  await bubble(page, "Line 120.").waitFor();
  await page.getByRole("button", { name: "Earlier messages" }).press("Enter");
  await bubble(page, "Line 21.").waitFor();
  await page.getByRole("button", { name: "Earlier messages" }).press("Enter");
  await bubble(page, "Line 1.").waitFor();
  assert.equal(await thread(page).locator(".bubble").count(), 120);
  await page.locator(".talk-said:focus").waitFor();
  await noProblems(page, "a long conversation");
  // On phones it stands alone, with a way back.
  assert.equal(await entry(page, "Mary Winston").count(), 0);
  await page.getByRole("link", { name: "All conversations" }).click();
  await entry(page, "Mary Winston").waitFor();
  assert.equal(opened(page), "messages");
  await leave([window]);
}

Deno.test("console: conversations", async (t) => {
  await using scene = await startScene({ RATE_LIMIT: "false" });
  await t.step("one is begun, and answered in another window", () => talk(scene));
  await t.step("messages are deleted, for oneself and for all", () => deleted(scene));
  await t.step("conversations are found by people", () => searched(scene));
  await t.step("without a network nothing is lost, and nothing doubled", () => offline(scene));
  await t.step("a session that ends takes no message with it", () => signedOut(scene));
  await t.step("one is read to its beginning, on a phone", () => long(scene));
});

Deno.test("console: the mailbox, where the server has no conversations", async () => {
  await using scene = await startScene({ VARIANT: "compact", RATE_LIMIT: "false" });
  const { server: { origin }, browser, admin } = scene;
  const ada = await somebody(scene, "Ada Byron");
  const [mine, theirs] = [await openAs(browser, admin), await openAs(browser, ada)];
  for (const { page } of [mine, theirs]) await go(page, `${origin}/messages`, "Messages");
  const { page } = mine;
  await press(page, "New message");
  const dialog = page.getByRole("dialog", { name: "New message" });
  await dialog.getByRole("combobox", { name: "To" }).fill("Ada");
  await page.getByRole("option", { name: /Ada Byron/ }).click();
  await dialog.getByLabel("Message").fill("Cast off");
  await press(dialog, "Send");
  await row(theirs.page, "Cast off").getByText("New").waitFor();
  await ask(origin, admin, "POST", "/messages", {
    recipientId: ada.user.id,
    content: "Full ahead",
  });
  await row(theirs.page, "Full ahead").waitFor();
  await noProblems(theirs.page, "the mailbox");
  await theirs.page.keyboard.press("/");
  await fieldReady(theirs.page);
  await theirs.page.keyboard.type("cast");
  await row(theirs.page, "Full ahead").waitFor({ state: "detached" });
  await row(theirs.page, "Cast off").click();
  const shown = theirs.page.getByRole("dialog", { name: "Administrator" });
  await shown.getByText("Cast off").waitFor();
  await noProblems(theirs.page, "a message");
  await theirs.page.keyboard.press("Escape");
  await row(theirs.page, "Cast off").getByText("New").waitFor({ state: "detached" });

  // Who has sent it deletes it for all.
  await page.getByRole("tab", { name: "Sent" }).click();
  await row(page, "Cast off").click();
  await press(page.getByRole("dialog"), "Delete for everyone");
  await press(page.getByRole("alertdialog"), "Delete for everyone");
  await row(page, "Cast off").waitFor({ state: "detached" });
  await said(theirs.page, "Nothing matches these filters");
  await leave([mine, theirs]);
});
