// Documents and events from CSV: each row makes one of the caller's own, all or none, within what the caller may have.
import assert from "node:assert/strict";
import { events } from "../../../models/calendar.ts";
import { documents, documentTags, tags } from "../../../models/documents.ts";
import { teamMembers, teams } from "../../../models/teams.ts";
import { type Account, type Harness, harness } from "../../harness.ts";

const csv = (...lines: string[]) => new Blob([lines.join("\r\n")], { type: "text/csv" });

type Kind = "documents" | "calendar/events";

const send = (h: Harness, as: Account, kind: Kind, query: string, ...lines: string[]) =>
  h.ask("POST", `/api/${kind}/import${query}`, { as, body: csv(...lines) });

/** A harness whose users may write documents and events. */
async function granted(env: Record<string, string> = {}): Promise<Harness> {
  const h = await harness({ variant: "compact", env });
  const rights = ["documents", "calendar", "teams"].flatMap((resource) =>
    ["view", "create"].map((action) => `${resource}:${action}`)
  );
  for (const account of ["user", "other"] as const) await h.grant(account, ...rights);
  return h;
}

const read = async (h: Harness, as: Account, path: string) =>
  (await h.ask("GET", `/api/${path}`, { as })).data;

const DOCUMENTS = [
  "Title,content,type,folder,tags,ownerId,size",
  '"\'=Plan","    code\n\n# Line two\n",code,reports/2026/,red; blue;red,someone,9',
  "Bare,,,,,,",
];

Deno.test("import of documents: a dry run writes nothing; then they are the caller's own, as they were written", async () => {
  await using h = await granted();
  const dry = await send(h, "user", "documents", "", ...DOCUMENTS);
  assert.deepEqual(dry.data, {
    dryRun: true,
    rows: 2,
    created: 2,
    updated: 0,
    errors: [],
    errorCount: 0,
    ignored: ["ownerId", "size"],
  }, dry.text);
  for (const collection of [documents, tags, documentTags] as const) {
    assert.equal(await h.store.from<never>(collection as never).count(), 0);
  }
  const real = await send(h, "user", "documents", "?dryRun=false", ...DOCUMENTS);
  assert.deepEqual([real.status, real.data.created], [200, 2], real.text);
  const [bare, plan] = await read(h, "user", "documents?sort=-title");
  const { content, ...shown } = await read(h, "user", `documents/${plan.id}`);
  assert.equal(content, "    code\n\n# Line two\n");
  assert.deepEqual(
    [shown.title, shown.type, shown.folder, shown.size, shown.ownerId],
    ["=Plan", "code", "/reports/2026", 21, h.accounts.user.id],
  );
  assert.deepEqual(shown.tags.map(({ name }: { name: string }) => name), ["blue", "red"]);
  assert.deepEqual([bare.title, bare.type, bare.size, bare.tags], ["Bare", "document", 0, []]);
  assert.deepEqual(await read(h, "other", "documents"), []);
});

Deno.test("import of documents: a team takes them only from who is in it, and one error is enough for none", async () => {
  await using h = await granted();
  const body = { name: "Crew", ownerId: h.accounts.user.id };
  const team = (await h.store.transact({ userId: null }, (tx) => {
    const made = tx.insert(teams, body);
    tx.insert(teamMembers, { teamId: made.id, userId: body.ownerId, role: "owner" });
    return made;
  })).id;
  const lines = ["title,teamId", `Ours,${team}`];
  const foreign = await send(h, "other", "documents", "?dryRun=false", ...lines);
  assert.equal(foreign.status, 400, foreign.text);
  assert.equal(foreign.body.error.details[0].field, "2.teamId");
  const own = await send(h, "user", "documents", "?dryRun=false", ...lines);
  assert.equal(own.status, 200, own.text);
  const wrong = [
    "title,type,folder,tags,content",
    `${"x".repeat(201)},,,,`,
    "Fine,,,,",
    "Type,novel,,,",
    "Folder,,../up,,",
    `Tag,,,${"x".repeat(51)},`,
    `Long,,,,${"€".repeat(200_000)}`,
  ];
  const refused = await send(h, "user", "documents", "", ...wrong);
  const found = refused.data.errors.map((one: { row: number; field: string }) =>
    `${one.row}.${one.field.split(".")[0]}`
  );
  assert.deepEqual(found.sort(), ["2.title", "4.type", "5.folder", "6.tags", "7.content"]);
  assert.equal((await send(h, "user", "documents", "?dryRun=false", ...wrong)).status, 400);
  assert.equal(await h.store.from(documents).count(), 1);
});

Deno.test("import of documents: so many tags and no more", async () => {
  await using h = await granted();
  const distinct = (count: number) =>
    Array.from({ length: count / 10 }, (_, row) => {
      const names = Array.from({ length: 10 }, (_, n) => `t${row * 10 + n}`);
      return `Row ${row},${names.join(";")}`;
    });
  const most = await send(h, "user", "documents", "", "title,tags", ...distinct(1000));
  assert.equal(most.data.errorCount, 0, most.text);
  const over = await send(h, "user", "documents", "", "title,tags", ...distinct(1010));
  assert.deepEqual(over.data.errors.map(({ field }: { field: string }) => field), ["tags"]);
  const fifty = Array.from({ length: 50 }, (_, n) => `t${n}`).join(";");
  const tied = Array.from({ length: 401 }, (_, n) => `Row ${n},${fifty}`);
  const many = await send(h, "user", "documents", "", "title,tags", ...tied);
  assert.deepEqual(many.data.errors.map(({ row }: { row: number }) => row), [1]);
});

Deno.test("import of events: times are those of the caller's zone, and nobody is invited", async () => {
  await using h = await granted();
  const lines = [
    "title,start,end,allDay,type,location,attendees",
    "Summer,2026-07-01T09:00:00,,,,Deck 1,Other Person",
    "Zoned,2026-07-01T09:00:00Z,2026-07-01T10:00:00+02:00,,,,",
    "Day,2026-07-02,,TRUE,holiday,,",
  ];
  const dry = await send(h, "user", "calendar/events", "?tz=Europe/Paris", ...lines);
  assert.deepEqual(dry.data.errors.map((one: { row: number; field: string }) => one), [{
    row: 3,
    field: "end",
    message:
      "the event cannot end (2026-07-01T08:00:00.000Z) before it starts (2026-07-01T09:00:00.000Z)",
  }]);
  const good = lines.toSpliced(2, 1);
  const query = "?tz=Europe/Paris&dryRun=false";
  const reply = await send(h, "user", "calendar/events", query, ...good);
  assert.deepEqual([reply.data?.created, reply.data?.ignored], [2, ["attendees"]], reply.text);
  const [summer, day] = await read(h, "user", "calendar/events?sort=start");
  assert.deepEqual(
    [summer.start, summer.end, summer.type, summer.location, summer.attendees],
    ["2026-07-01T07:00:00.000Z", "2026-07-01T08:00:00.000Z", "meeting", "Deck 1", []],
  );
  assert.deepEqual(
    [day.start, day.end, day.allDay, day.ownerId],
    ["2026-07-02T00:00:00.000Z", "2026-07-02T23:59:59.999Z", true, h.accounts.user.id],
  );
  assert.deepEqual(await read(h, "other", "calendar/events"), []);
  assert.deepEqual(h.mails, []);
});

Deno.test("import of events: each error names its row and field, and one is enough to import nothing", async () => {
  await using h = await granted();
  const lines = [
    "title,start,allDay,type",
    ",2026-07-01,,",
    "No start,,,",
    "Start,yesterday,,",
    "Flag,2026-07-01,perhaps,",
    "Type,2026-07-01,,party",
    "Fine,2026-07-01,false,TASK",
  ];
  const dry = await send(h, "user", "calendar/events", "", ...lines);
  const found = dry.data.errors.map((one: { row: number; field: string }) =>
    `${one.row}.${one.field}`
  );
  assert.deepEqual(found, ["2.title", "3.start", "4.start", "5.allDay", "6.type"], dry.text);
  const real = await send(h, "user", "calendar/events", "?dryRun=false", ...lines);
  assert.equal(real.status, 400);
  assert.equal(await h.store.from(events).count(), 0);
});

Deno.test("imports of content: an export comes back in, as the own records of whoever imports it", async () => {
  await using h = await granted();
  const start = "2026-12-01T09:00:00.000Z";
  const times = { start, end: "2026-12-01T23:59:59.999Z", allDay: true };
  const body = { title: "=Trip", location: "-1 Deck; east", ...times };
  await h.ask("POST", "/api/calendar/events", { as: "user", body });
  await h.ask("POST", "/api/documents", {
    as: "user",
    body: { title: "@Log", folder: "/a/b", type: "pdf", tags: ["-x", "y"] },
  });
  const shown = {
    documents: ["title", "type", "folder"],
    "calendar/events": ["title", "location", "start", "end", "allDay", "type"],
  };
  for (const kind of ["documents", "calendar/events"] as const) {
    const { text } = await h.ask("GET", `/api/${kind}/export?bom=true`, { as: "user" });
    const reply = await send(h, "other", kind, "?dryRun=false", text);
    assert.equal(reply.data?.created, 1, reply.text);
    const [before] = await read(h, "user", kind);
    const [after] = await read(h, "other", kind);
    for (const field of shown[kind]) assert.deepEqual(after[field], before[field], field);
    assert.equal(after.ownerId, h.accounts.other.id);
    const names = ({ tags = [] }: { tags?: { name: string }[] }) => tags.map(({ name }) => name);
    assert.deepEqual(names(after), names(before));
  }
});

Deno.test("imports of content: quotas hold for all rows together, and rights for each kind", async () => {
  await using h = await granted({ RECORDS_QUOTA: "5", RATE_LIMIT: "false" });
  const lines = {
    documents: ["title", ...Array.from({ length: 6 }, (_, n) => `Log ${n}`)],
    "calendar/events": ["title,start", ...Array.from({ length: 6 }, () => "Watch,2026-07-01")],
  };
  for (const kind of ["documents", "calendar/events"] as const) {
    const real = (lines: readonly string[]) => send(h, "user", kind, "?dryRun=false", ...lines);
    // Five are left, then two.
    const refused = await real(lines[kind]);
    assert.equal(refused.status, 409, refused.text);
    assert.equal((await real(lines[kind].slice(0, kind === "documents" ? 4 : 3))).status, 200);
    assert.equal((await send(h, "guest", kind, "", ...lines[kind])).status, 403);
    assert.equal((await h.ask("POST", `/api/${kind}/import`, { body: csv("title") })).status, 401);
  }
  const full = await send(h, "user", "documents", "?dryRun=false", ...lines.documents.slice(0, 2));
  assert.equal(full.status, 409, full.text);
});

Deno.test("imports of content: thousands are one commit", async () => {
  await using h = await granted();
  const rows = Array.from({ length: 1500 }, (_, n) => `Log ${n},Text ${n},t${n % 7}`);
  const reply = await send(h, "super", "documents", "?dryRun=false", "title,content,tags", ...rows);
  assert.equal(reply.data?.created, 1500, reply.text);
  assert.equal(await h.store.from(documents).count(), 1500);
  assert.equal(await h.store.from(tags).count(), 7);
  assert.equal(await h.store.from(documentTags).count(), 1500);
});
