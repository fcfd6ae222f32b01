// Lists put together from ready rows: after any writes, every page is what the records themselves say.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Document,
  documents,
  documentSummary,
  documentTags,
  documentViews,
  tags,
} from "../../../models/documents.ts";
import { roles } from "../../../models/roles.ts";
import { shares } from "../../../models/shares.ts";
import { teamMembers } from "../../../models/teams.ts";
import { publicUser, users } from "../../../models/users.ts";
import type { CollectionDeclaration, Entity } from "../../../storage/port.ts";
import { type Account, type Harness, harness } from "../../harness.ts";
import { done } from "./document_scene.ts";

const MINUTE = 60_000;

type Act =
  | "create"
  | "change"
  | "tag"
  | "share"
  | "share for a minute"
  | "open"
  | "wait"
  | "team"
  | "join or leave"
  | "rename"
  | "role"
  | "permission"
  | "remove document"
  | "remove owner";

const acts = fc.record({
  act: fc.constantFrom<Act>(
    "create",
    "create",
    "change",
    "tag",
    "share",
    "share for a minute",
    "open",
    "wait",
    "team",
    "join or leave",
    "rename",
    "role",
    "permission",
    "remove document",
    "remove owner",
  ),
  at: fc.nat(20),
  word: fc.constantFrom("plain", "Ünïcode", "中文", 'quote " \\ \n line', "\u2028"),
});

async function everything<T extends Entity>(
  h: Harness,
  collection: CollectionDeclaration<T>,
): Promise<T[]> {
  return await Array.fromAsync(h.store.from(collection).scan());
}

/** What a page must show, worked out from all records with nothing remembered. */
async function expectedDocuments(h: Harness, as: Account) {
  const [all, people, labels, tied, given, views, members] = await Promise.all([
    everything(h, documents),
    everything(h, users),
    everything(h, tags),
    everything(h, documentTags),
    everything(h, shares),
    everything(h, documentViews),
    everything(h, teamMembers),
  ]);
  const now = h.clock.now().toISOString();
  const { id } = h.accounts[as];
  const teams = members.filter(({ userId }) => userId === id).map(({ teamId }) => teamId);
  const open = given.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const sees = (document: Document) =>
    as === "super" || document.ownerId === id || teams.includes(document.teamId ?? "") ||
    open.some(({ documentId, userId, teamId }) =>
      documentId === document.id && (userId === id || teams.includes(teamId ?? ""))
    );
  const shown = all.filter(sees).map((document) => {
    const names = tied.filter(({ documentId }) => documentId === document.id)
      .map(({ tagId }) => labels.find((tag) => tag.id === tagId)!);
    return documentSummary.parse({
      ...document,
      tags: names.sort((a, b) => a.name < b.name ? -1 : 1),
      shared: open.some(({ documentId }) => documentId === document.id),
      views: (views.find((counted) => counted.id === document.id)?.views ?? 0) +
        h.app.services.documentViews.pending(document.id),
      owner: people.find((user) => user.id === document.ownerId),
    });
  });
  return shown.sort((a, b) =>
    a.title < b.title ? -1 : a.title > b.title ? 1 : a.id < b.id ? -1 : 1
  );
}

async function expectedUsers(h: Harness) {
  const [people, held] = await Promise.all([everything(h, users), everything(h, roles)]);
  return people.map((user) => {
    const role = held.find(({ name }) => name === user.role);
    return publicUser.parse({
      ...user,
      roles: role ? [role] : [],
      permissions: [...new Set([...role?.permissions ?? [], ...user.permissions])],
      emailVerified: user.unverifiedSince === undefined,
    });
  });
}

/** All pages of a list, three rows each. */
async function walk(h: Harness, path: string, as: Account): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let page = 1;; page++) {
    const { data, body } = await h.ask("GET", `${path}&page=${page}&limit=3`, { as });
    rows.push(...data);
    if (page >= body.pagination.totalPages) {
      assert.equal(rows.length, body.pagination.total);
      return rows;
    }
  }
}

async function check(h: Harness) {
  for (const as of ["super", "user", "other"] as const) {
    const shown = await walk(h, "/api/documents?sort=title", as);
    assert.deepEqual(shown, await expectedDocuments(h, as), `documents as ${as}`);
  }
  const people = await expectedUsers(h);
  assert.deepEqual(await walk(h, "/api/users?sort=id", "super"), people);
  for (const person of people) {
    const { data } = await h.ask("GET", `/api/users/${person.id}`, { as: "super" });
    assert.deepEqual(data, person);
  }
}

/** A document that there is and whoever owns it; none: one is made. */
async function some(h: Harness, at: number): Promise<Document> {
  const all = await everything(h, documents);
  if (all.length > 0) return all[at % all.length]!;
  const body = { title: "The first", content: "text" };
  const { id } = await done(h, "POST", "/api/documents", { as: "user", body });
  return (await h.store.from(documents).get(id))!;
}

let made = 0;

async function perform(
  h: Harness,
  team: string,
  { act, at, word }: { act: Act; at: number; word: string },
) {
  const as = "super";
  const target = () => some(h, at);
  const path = async () => `/api/documents/${(await target()).id}`;
  const title = `No. ${made++} ${word}`;
  if (act === "create") {
    const by = at % 2 === 0 ? "user" : "other";
    await done(h, "POST", "/api/documents", {
      as: by,
      body: { title, content: word, tags: ["new"] },
    });
  } else if (act === "change") {
    await done(h, "PUT", await path(), { as, body: { title, folder: at % 2 ? `/${at}` : null } });
  } else if (act === "tag") {
    await h.ask("POST", `${await path()}/tags`, { as, body: { name: `tag ${word}` } });
  } else if (act === "share" || act === "share for a minute") {
    const { id, ownerId } = await target();
    const userId = ownerId === h.accounts.user.id ? h.accounts.other.id : h.accounts.user.id;
    const expiresAt = new Date(h.clock.now().getTime() + MINUTE).toISOString();
    const body = act === "share" ? { userId } : { userId, expiresAt };
    await done(h, "POST", `/api/documents/${id}/share`, { as, body });
  } else if (act === "open") {
    await h.ask("GET", await path(), { as });
    if (at % 2) await h.app.services.documentViews.flush();
  } else if (act === "wait") h.clock.advance(2 * MINUTE);
  else if (act === "team") {
    await done(h, "PUT", await path(), { as, body: { teamId: at % 2 ? team : null } });
  } else if (act === "join or leave") {
    const members = `/api/teams/${team}/members`, userId = h.accounts.other.id;
    if (at % 2) await h.ask("DELETE", `${members}/${userId}`, { as });
    else await h.ask("POST", members, { as, body: { userId } });
  } else if (act === "rename") {
    const id = h.accounts[at % 2 ? "user" : "other"].id;
    await done(h, "PUT", `/api/users/${id}`, { as, body: { name: title, avatar: `/${at}.png` } });
  } else if (act === "role") {
    const role = (await h.store.from(roles).findBy("name", "user"))!;
    await done(h, "PUT", `/api/roles/${role.id}`, { as, body: { label: title } });
  } else if (act === "permission") {
    await h.grant("other", `notes:${at}`);
  } else if (act === "remove document") {
    await done(h, "DELETE", await path(), { as });
  } else {
    const email = `owner${made}@example.com`;
    const body = { name: title, email, role: "admin", password: "a fine password" };
    const { id } = await done(h, "POST", "/api/users", { as, body });
    await h.store.transact({ userId: null }, async (tx) => {
      const document = await tx.from(documents).get((await target()).id);
      tx.update(documents, document!, { ownerId: id });
    });
    await check(h);
    await done(h, "DELETE", `/api/users/${id}`, { as });
  }
}

Deno.test("lists of documents and users show what the records say, whoever asks, after any writes", async () => {
  await using h = await harness({ variant: "full" });
  for (const account of ["user", "other"] as const) {
    await h.grant(account, "documents:view", "documents:create");
  }
  const team = await done(h, "POST", "/api/teams", { as: "super", body: { name: "Crew" } });
  const body = { userId: h.accounts.other.id };
  await done(h, "POST", `/api/teams/${team.id}/members`, { as: "super", body });
  void h.store.warmUp();
  const steps = fc.array(acts, { minLength: 3, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      for (const step of steps) {
        await perform(h, team.id, step);
        await check(h);
      }
    }),
    { numRuns: 8, endOnFailure: true },
  );
});
