// The store goes out of reach between any two steps of a job, a mail or the end: the next run does what is left, once.
import assert from "node:assert/strict";
import { getLogger } from "@logtape/logtape";
import { stopAll } from "../../core/shutdown.ts";
import { events, reminders } from "../../models/calendar.ts";
import { visits } from "../../models/dashboard.ts";
import { deletions } from "../../models/deletions.ts";
import { documents, documentViews } from "../../models/documents.ts";
import { files } from "../../models/files.ts";
import { notifications } from "../../models/notifications.ts";
import { emailLinks, passwordResets, sessions } from "../../models/sessions.ts";
import { snippets } from "../../models/snippets.ts";
import { users } from "../../models/users.ts";
import { planEmailLink } from "../../services/accounts/verification.ts";
import { fireDueReminders } from "../../services/calendar/reminders.ts";
import { finishDeletions } from "../../services/content/deletions.ts";
import { startJobs } from "../../services/jobs.ts";
import { backgroundMailer } from "../../services/messaging/mailer.ts";
import { removeExpiredSnippets } from "../../services/snippets/snippets.ts";
import { sweep } from "../../services/sweep.ts";
import { StoreUnavailable } from "../../storage/port.ts";
import { during, type FailingHarness, failingHarness as open, OUTAGES } from "../failing.ts";
import { PASSWORD } from "../harness.ts";
import { form, pdf } from "../uploads.ts";

const DAY = 24 * 60 * 60 * 1000;
/** More than one piece of a deletion holds. */
const MANY = 120;

interface Job {
  readonly name: string;
  /** Makes work. @param round Its number. */
  prepare(h: FailingHarness, round: number): Promise<void>;
  run(h: FailingHarness): Promise<void>;
  /** How much there still is to do. */
  left(h: FailingHarness): Promise<number>;
  /** What has to hold when all is done. @param rounds How many there were. */
  check?(h: FailingHarness, rounds: number): Promise<void>;
}

async function unverified({ store, accounts }: FailingHarness, round: number): Promise<void> {
  await store.transact({ userId: null }, (tx) => {
    const [name, email] = ["Nobody", `nobody${round}@example.com`];
    const { role } = accounts.user;
    const rest = { permissions: [], unverifiedSince: tx.now };
    const user = tx.insert(users, { name, email, role, status: "active", ...rest });
    return planEmailLink(tx, user, "verify");
  });
}

/** A user who has much, a folder with a file and a document; all of them on their way out. */
async function leftBehind({ store, accounts, ask }: FailingHarness, round: number): Promise<void> {
  const body = { name: `Old ${round}` };
  const folder = (await ask("POST", "/api/folders", { as: "super", body })).data;
  const fields = { folderId: folder.id };
  const file = form({ bytes: pdf(`round ${round}`), name: `${round}.pdf`, type: "", fields });
  const uploaded = await ask("POST", "/api/files/upload", { as: "super", body: file });
  assert.equal(uploaded.data.folderId, folder.id);
  const actorId = accounts.super.id;
  await store.transact({ userId: null }, (tx) => {
    const [name, email] = ["Gone", `gone${round}@example.com`];
    const { role } = accounts.user;
    const user = tx.insert(users, { name, email, role, permissions: [], status: "inactive" });
    for (let n = 0; n < MANY; n++) {
      const fields = { type: "system", title: `${n}`, content: "", read: false } as const;
      tx.insert(notifications, { userId: user.id, ...fields });
    }
    const of = { ownerId: user.id, type: "other", content: "", tags: [], size: 0 } as const;
    tx.insert(documents, { title: `Of round ${round}`, ...of });
    const heirs = { documents: actorId, files: actorId, calendar: actorId, teams: actorId };
    tx.insert(deletions, { id: user.id, kind: "user", actorId, ...heirs, rest: actorId });
    tx.insert(deletions, { id: folder.id, kind: "folder", actorId });
  });
}

const JOBS: readonly Job[] = [
  {
    name: "sweep",
    async prepare(h, round) {
      await h.ask("POST", "/api/auth/forgot-password", { body: { email: h.accounts.user.email } });
      await unverified(h, round);
      h.clock.advance(60 * DAY);
    },
    run: (h) => sweep(h.app.services, h.clock.now()),
    left: async ({ store }) =>
      await store.from(passwordResets).count() + await store.from(sessions).count() +
      await store.from(emailLinks).count(),
  },
  {
    name: "remove expired snippets",
    async prepare({ ask, clock }) {
      await ask("POST", "/api/share", { body: { content: "short-lived" } });
      clock.advance(60 * DAY);
    },
    run: ({ store, clock }) => removeExpiredSnippets(store, 30, clock.now()),
    left: async ({ store }) => await store.from(snippets).count(),
  },
  {
    name: "fire reminders",
    async prepare({ store, accounts, clock }, round) {
      const start = new Date(clock.now().getTime() + DAY / 24).toISOString();
      await store.transact({ userId: null }, (tx) => {
        const of = { ownerId: accounts.user.id, type: "meeting", allDay: false } as const;
        const fields = { title: `Event ${round}`, start, end: start, attendees: [], ...of };
        const event = tx.insert(events, fields);
        const due = { eventId: event.id, userId: accounts.user.id, remindAt: start };
        tx.insert(reminders, { ...due, method: "notification" });
        tx.insert(reminders, { ...due, method: "email" });
      });
      clock.advance(DAY / 24);
    },
    run: (h) => fireDueReminders(h.app.services),
    left: async ({ store }) => await store.from(reminders).count({ firedAt: null }),
    async check({ store, accounts }, rounds) {
      const told = await store.from(notifications).count({ userId: accounts.user.id });
      assert.equal(told, 2 * rounds, "each reminder tells once");
    },
  },
  {
    name: "finish deletions",
    prepare: leftBehind,
    async run({ store, clock }) {
      // Long after its last piece, as when another process did that.
      clock.advance(60_000);
      await finishDeletions(store, clock.now());
    },
    left: async ({ store }) =>
      await store.from(deletions).count() + await store.from(notifications).count() +
      await store.from(files).count() + await store.from(users).count({ status: "inactive" }),
    async check({ store, accounts }, rounds) {
      const inherited = await store.from(documents).count({ ownerId: accounts.super.id });
      assert.equal(inherited, rounds);
    },
  },
];

/** Of an outage, alone or of several parts. */
function isOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOutage);
  return error instanceof StoreUnavailable;
}

for (const how of OUTAGES) {
  for (const { name, prepare, run, left, check } of JOBS) {
    Deno.test(`outages: the store ${how} between any two steps of '${name}', and the next run ends what is left`, async () => {
      await using h = await open();
      let step = 1;
      for (let failed = true; failed; step++) {
        assert.ok(step < 500, "the job never gets through");
        await prepare(h, step);
        assert.ok(await left(h) > 0);
        const tried = await during(h.store, { step, how }, () => run(h));
        failed = tried.failed;
        assert.ok(failed || step > 1, "it never asked the store");
        const { outcome } = tried;
        const error = outcome.status === "rejected" ? outcome.reason : null;
        // What hung may have been the removal of bytes that nothing refers to: the rest is done all the same.
        if (how === "refuses") assert.equal(error !== null, failed, `step ${step}: ${error}`);
        else assert.ok(error === null || failed, `step ${step}: ${error}`);
        assert.ok(error === null || isOutage(error), `step ${step}: ${error}`);
        if (failed) await run(h);
        assert.equal(await left(h), 0, `after step ${step}`);
      }
      await check?.(h, step - 1);
    });
  }

  Deno.test(`outages: the store ${how} between any two steps of writing counts, none is lost or counted twice`, async () => {
    await using h = await open();
    const document = await h.ask("POST", "/api/documents", {
      as: "super",
      body: { title: "Read", content: "often" },
    });
    const { id } = document.data;
    const counters = [h.app.services.visits, h.app.services.documentViews];
    for (const counter of counters) await counter.flush();
    const day = h.clock.now().toISOString().slice(0, 10);
    const before = (await h.store.from(visits).get(day))!;
    let rounds = 0;
    for (let failed = true; failed;) {
      rounds++;
      h.app.services.visits.visit(h.accounts.user.id);
      h.app.services.documentViews.open(id, `reader ${rounds}`);
      failed = false;
      for (const counter of counters) {
        const tried = await during(h.store, { step: rounds, how }, () => counter.flush());
        assert.equal(tried.outcome.status, tried.failed ? "rejected" : "fulfilled");
        failed ||= tried.failed;
      }
    }
    assert.ok(rounds > 3, `${rounds} rounds`);
    for (const counter of counters) await counter.flush();
    assert.equal((await h.store.from(visits).get(day))!.visits, before.visits + rounds);
    assert.equal((await h.store.from(documentViews).get(id))!.views, rounds);
  });

  Deno.test(`outages: the store ${how} between any two steps of a mail with a link, and the next one works`, async () => {
    await using h = await open();
    const { email } = h.accounts.user;
    const forgot = () => h.ask("POST", "/api/auth/forgot-password", { body: { email } });
    for (let step = 1, failed = true; failed; step++) {
      assert.ok(step < 100, "the mail is never sent");
      const tried = await during(h.store, { step, how }, forgot);
      failed = tried.failed;
      if (tried.outcome.status === "rejected") throw tried.outcome.reason;
      const { status } = tried.outcome.value;
      assert.ok(status === 200 || failed && status === 503, `step ${step}: ${status}`);
      if (failed) assert.equal((await forgot()).status, 200);
      const reset = { token: h.mailedToken(email), password: `${PASSWORD} ${step}` };
      const reply = await h.ask("POST", "/api/auth/reset-password", { body: reset });
      assert.equal(reply.status, 200, `after step ${step}: ${reply.text}`);
    }
  });
}

Deno.test("outages: a store that hangs at any step of the end keeps no part from being tried, and loses no count", async () => {
  await using h = await open();
  const { visits: visitCounter } = h.app.services;
  await visitCounter.flush();
  const day = h.clock.now().toISOString().slice(0, 10);
  assert.equal(await h.store.from(visits).get(day), null);
  let rounds = 0;
  for (let failed = true; failed;) {
    assert.ok(++rounds < 100, "the end never gets through");
    visitCounter.visit(h.accounts.user.id);
    const sent: string[] = [];
    const sender = {
      send: ({ to }: { to: string }) => Promise.resolve(void sent.push(to)),
      close: () => Promise.resolve(),
    };
    const mailer = backgroundMailer(sender, getLogger("tests"));
    const tried: string[] = [];
    const part = (task: string, by: number, stop: () => unknown) => ({
      task,
      by,
      stop() {
        tried.push(task);
        return stop();
      },
    });
    const stopJobs = startJobs(h.app.services, []);
    h.store.failFrom(rounds, "hangs");
    mailer.inBackground(async () => {
      const user = await h.store.from(users).get(h.accounts.user.id);
      return { to: user!.email, subject: "Last words", text: "" };
    });
    await stopAll([
      part("counts", 20, stopJobs),
      part("mails", 40, () => mailer.close(10)),
      part("store", 60, () => {}),
    ], () => {});
    failed = h.store.recover();
    assert.deepEqual(tried, ["counts", "mails", "store"]);
    // What was on its way is told that there was no answer; then it is counted again.
    await mailer.idle();
    if (!failed) assert.deepEqual(sent, [h.accounts.user.email]);
  }
  await visitCounter.flush();
  assert.equal((await h.store.from(visits).get(day))!.visits, rounds);
});
