// Users from CSV: a dry run first, then all rows or none, and nobody gets more than who imports them has.
import assert from "node:assert/strict";
import { users } from "../../../models/users.ts";
import { type Account, type Harness, harness } from "../../harness.ts";

const csv = (...lines: string[]) => new Blob([lines.join("\n")], { type: "text/csv" });

const send = (h: Harness, as: Account, query: string, ...lines: string[]) =>
  h.ask("POST", `/api/users/import${query}`, { as, body: csv(...lines) });

const count = (h: Harness) => h.store.from(users).count();

const GOOD = [
  "Email,NAME,username,department,role,status,id",
  "ann@example.com,Ann Lee,ann,Sales,,,ignored",
  '"bob@example.com","Bob\nBuilder",,"\'=1+1",user,inactive,',
];

Deno.test("import of users: a dry run tells what would be, and writes nothing", async () => {
  await using h = await harness();
  const before = await count(h);
  const reply = await send(h, "admin", "", ...GOOD);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(reply.data, {
    dryRun: true,
    rows: 2,
    created: 2,
    updated: 0,
    errors: [],
    errorCount: 0,
    ignored: ["id"],
  });
  assert.equal(await count(h), before);
  assert.equal((await send(h, "admin", "?dryRun=true", ...GOOD)).data.dryRun, true);
  assert.equal(await count(h), before);
});

Deno.test("import of users: with dryRun=false all are there, without a password and without mail", async () => {
  await using h = await harness();
  const before = await count(h);
  const reply = await send(h, "admin", "?dryRun=false", ...GOOD);
  assert.deepEqual(
    [reply.status, reply.data.created, reply.data.dryRun],
    [200, 2, false],
    reply.text,
  );
  assert.equal(await count(h), before + 2);
  const ann = (await h.store.from(users).findBy("email", "ann@example.com"))!;
  const bob = (await h.store.from(users).findBy("email", "bob@example.com"))!;
  assert.deepEqual([ann.name, ann.username, ann.department], ["Ann Lee", "ann", "Sales"]);
  assert.deepEqual([ann.role, ann.status, ann.passwordHash], ["user", "active", undefined]);
  assert.deepEqual([bob.department, bob.status], ["=1+1", "inactive"]);
  assert.deepEqual(h.mails, []);
});

Deno.test("import of users: whoever is invited gets a link, the inactive none", async () => {
  await using h = await harness();
  const reply = await send(h, "admin", "?dryRun=false&invite=true", ...GOOD);
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(h.mails.map(({ to }) => to), ["ann@example.com"]);
  const token = h.mailedToken("ann@example.com");
  const body = { token, password: "a fine new password" };
  assert.equal((await h.ask("POST", "/api/auth/reset-password", { body })).status, 200);
  const many = Array.from({ length: 501 }, (_, n) => `p${n}@example.com,Person ${n}`);
  const refused = await send(h, "admin", "?dryRun=false&invite=true", "email,name", ...many);
  assert.equal(refused.status, 400);
  assert.equal(h.mails.length, 1);
});

Deno.test("import of users: rows are counted as spreadsheets do, those without anything too", async () => {
  await using h = await harness();
  const reply = await send(
    h,
    "admin",
    "",
    "",
    "name,email",
    "Ann Lee,ann@example.com",
    "",
    '"Bob\nBuilder",bob@example.com',
    " , ",
    "Cara,not an address",
    ",,,",
    "Dan,dan@example.com,more",
    "Eve",
    ",",
  );
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([reply.data.rows, reply.data.created], [5, 2]);
  assert.deepEqual(
    reply.data.errors.map(({ row, field }: { row: number; field: string }) => [row, field]),
    [
      [7, "email"],
      [9, "row"],
      [10, "row"],
    ],
  );
  assert.equal(reply.data.errors[1].message, "has 3 cells, the first row has 2");
  const many = await send(
    h,
    "admin",
    "",
    "name,email",
    ...Array.from({ length: 10_001 }, () => ","),
  );
  assert.equal(
    many.body.message,
    "Cannot accept the request: body: an import has at most 10000 rows",
  );
});

Deno.test("import of users: a row of very many cells is refused before it is read whole", async () => {
  await using h = await harness();
  const wide = ",".repeat(1000);
  for (const lines of [[`name,email${wide}`], ["name,email", wide], ["name,email", `Ann${wide}`]]) {
    const reply = await send(h, "admin", "", ...lines);
    assert.equal(reply.status, 400, reply.text);
    assert.equal(
      reply.body.message,
      "Cannot accept the request: body: a row of an import has at most 1000 cells",
    );
  }
});

Deno.test("import of users: a long first row takes no longer than another one", async () => {
  await using h = await harness();
  const long = "a".repeat(1_000_000);
  const timeOf = async (...lines: string[]) => {
    const began = performance.now();
    await send(h, "admin", "", ...lines);
    return performance.now() - began;
  };
  const second = await timeOf("name,email", long);
  const first = await timeOf(long);
  assert.ok(first < 5 * second, `${first} ms, a second row ${second} ms`);
});

for (const [name, delimiter] of [["semicolons", ";"], ["tabs", "\t"]] as const) {
  Deno.test(`import of users: cells may be parted by ${name}, as some spreadsheets write them`, async () => {
    await using h = await harness();
    const rows = [
      ['"Name"', " email ", "bio", "Town, country"],
      ["Ann Lee", "ann@example.com", '"a; b, c\t"', ""],
    ].map((cells) => cells.join(delimiter));
    const reply = await send(h, "admin", "?dryRun=false", "\ufeff", ...rows);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.data.ignored, ["Town, country"]);
    const ann = (await h.store.from(users).findBy("email", "ann@example.com"))!;
    assert.deepEqual([ann.name, ann.bio], ["Ann Lee", "a; b, c"]);
  });
}

Deno.test("import of users: each error names its row and field, and one is enough to import nothing", async () => {
  await using h = await harness();
  const before = await count(h);
  const lines = [
    "name,email,username,role,status,timeZone",
    "A,not an address,,,,",
    "Cara,cara@example.com,cara,,,",
    "Cara Two,CARA@example.com,,,,",
    "Dan Three,dan@example.com,cara,,,",
    ",empty@example.com,,,,",
    "Eve,user@example.com,,,,",
    "Finn,finn@example.com,,super_admin,,",
    "Gus,gus@example.com,,nobody,,",
    "Hal,hal@example.com,,,dead,Mars/Base",
  ];
  const dry = await send(h, "admin", "", ...lines);
  const found = dry.data.errors.map((
    { row, field }: { row: number; field: string },
  ) => [row, field]).sort(([a]: [number], [b]: [number]) => a - b);
  assert.deepEqual(
    found,
    [
      [2, "name"],
      [2, "email"],
      [4, "email"],
      [5, "username"],
      [6, "name"],
      [7, "email"],
      [8, "role"],
      [9, "role"],
      [10, "timeZone"],
      [10, "status"],
    ].map(([row, field]) => [row, field]).sort((a, b) => Number(a[0]) - Number(b[0])),
  );
  assert.equal(dry.data.errorCount, 10);
  const real = await send(h, "admin", "?dryRun=false", ...lines);
  assert.equal(real.status, 400);
  assert.ok(real.body.error.details.some(({ field }: { field: string }) => field === "8.role"));
  assert.equal(await count(h), before);
});

Deno.test("import of users: upsert=email changes who is there, but neither role nor status, nor who is above", async () => {
  await using h = await harness();
  const before = (await h.store.from(users).get(h.accounts.user.id))!;
  const lines = [
    "name,email,department,phone",
    "User Renamed,user@example.com,Sales,",
    "New One,new@example.com,,",
  ];
  const reply = await send(h, "admin", "?dryRun=false&upsert=email", ...lines);
  assert.deepEqual(
    [reply.status, reply.data?.created, reply.data?.updated],
    [200, 1, 1],
    reply.text,
  );
  const after = (await h.store.from(users).get(before.id))!;
  assert.deepEqual([after.name, after.department], ["User Renamed", "Sales"]);
  assert.deepEqual([after.passwordHash, after.role], [before.passwordHash, before.role]);
  for (
    const line of ["X,Super Person,super@example.com,", "X,Guest Person,guest@example.com,admin"]
  ) {
    const refused = await send(h, "admin", "?upsert=email", "bio,name,email,role", line);
    assert.equal(refused.data.errorCount, 1, refused.text);
  }
});

Deno.test("import of users: what is no such table is refused", async () => {
  await using h = await harness();
  const refused: readonly [status: number, ...lines: string[]][] = [
    [400],
    [400, "a,b", "1,2"],
    [400, "name,email,password", "A B,a@example.com,secret"],
    [400, "name,email,Name", "A B,a@example.com,C"],
    [400, "name,email", '"unclosed'],
    [400, "name,email", "too,many,cells"],
    [
      400,
      "name,email",
      ...Array.from({ length: 10_001 }, (_, n) => `Person ${n},p${n}@example.com`),
    ],
    [413, "name,email", "x".repeat(9 * 1024 * 1024)],
  ];
  for (const [status, ...lines] of refused) {
    const reply = await send(h, "super", "?dryRun=false", ...lines);
    assert.equal(reply.status, status, `${lines.slice(0, 2)}: ${reply.text.slice(0, 300)}`);
  }
  const json = await h.ask("POST", "/api/users/import", { as: "super", body: {} });
  assert.equal(json.status, 415);
  assert.equal((await send(h, "user", "", ...GOOD)).status, 403);
  await h.grant("user", "users:create");
  assert.equal((await send(h, "user", "?upsert=email", ...GOOD)).status, 403);
});

Deno.test("import of users: an export comes back in, and changes nothing", async () => {
  await using h = await harness();
  const { text } = await h.ask("GET", "/api/users/export?bom=true", { as: "super" });
  const body = new Blob([text], { type: "text/csv" });
  const reply = await h.ask("POST", "/api/users/import?upsert=email", { as: "super", body });
  assert.deepEqual([reply.data?.errorCount, reply.data?.updated], [0, 5], reply.text);
});

Deno.test("import of users: thousands are one commit, and errors are named up to a thousand", async () => {
  await using h = await harness();
  const lines = Array.from({ length: 3000 }, (_, n) => `Person ${n},p${n}@example.com`);
  const wrong = lines.map((_, n) => `Person ${n},no address`);
  const bad = await send(h, "super", "", "name,email", ...wrong);
  assert.deepEqual(
    [bad.data?.errors.length, bad.data?.errorCount],
    [1000, 3000],
    bad.text.slice(0, 300),
  );
  const before = await count(h);
  const reply = await send(h, "super", "?dryRun=false", "name,email", ...lines);
  assert.equal(reply.data?.created, 3000, reply.text);
  assert.equal(await count(h), before + 3000);
});
