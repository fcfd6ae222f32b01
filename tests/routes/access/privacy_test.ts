// What people learn of each other by what they share: no address of a stranger, and no title once a share has ended.
import assert from "node:assert/strict";
import { type Account, type Harness, harness } from "../../harness.ts";
import { sweep } from "../../../services/sweep.ts";
import { upload } from "../../uploads.ts";

const variant = "full";
const DAY = 24 * 60 * 60 * 1000;
const TEAMS = ["teams:view", "teams:create", "teams:update", "teams:delete"];
const DOCUMENTS = ["documents:create", "documents:update", "documents:delete"];
const FILES = ["files:create", "files:update", "files:delete"];

async function done(h: Harness, method: string, path: string, as: Account, body?: unknown) {
  const reply = await h.ask(method, path, { as, body });
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return reply.data;
}

/** What an account is told, as text. */
async function newsOf(h: Harness, as: Account): Promise<string> {
  return (await h.ask("GET", "/api/notifications?limit=100", { as })).text;
}

Deno.test("teams: adding a stranger does not show their address", async () => {
  await using h = await harness({ variant });
  await h.grant("user", ...TEAMS);
  await h.grant("other", ...TEAMS);
  const team = await done(h, "POST", "/api/teams", "user", { name: "Crew" });
  const userId = h.accounts.other.id;
  const added = await done(h, "POST", `/api/teams/${team.id}/members`, "user", { userId });
  assert.equal(added.memberCount, 2);

  /** Addresses of the members, as an account sees them. */
  const addresses = async (as: Account) => {
    const shown = await done(h, "GET", `/api/teams/${team.id}`, as);
    const [listed] = await done(h, "GET", "/api/teams", as);
    assert.deepEqual(listed.members, shown.members);
    return shown.members.map(({ email }: { email?: string }) => email);
  };
  assert.deepEqual(await addresses("user"), ["user@example.com", undefined]);
  assert.deepEqual(await addresses("other"), [undefined, "other@example.com"]);
  assert.deepEqual(await addresses("admin"), ["user@example.com", "other@example.com"]);
});

/** How a share of a document ends. */
const ENDS: Readonly<
  Record<string, (h: Harness, at: { document: string; share: string; team: string }) => unknown>
> = {
  "the owner ends it": (h, { document, share }) =>
    done(h, "DELETE", `/api/documents/${document}/share/${share}`, "user"),
  "it expires": (h) => {
    h.clock.advance(2 * DAY);
    return sweep(h.app.services, h.clock.now());
  },
  "the document is deleted": (h, { document }) =>
    done(h, "DELETE", `/api/documents/${document}`, "user"),
};

const TEAM_ENDS: typeof ENDS = {
  ...ENDS,
  "the member leaves the team": (h, { team }) =>
    done(h, "DELETE", `/api/teams/${team}/members/${h.accounts.other.id}`, "user"),
  "the team is deleted": (h, { team }) => done(h, "DELETE", `/api/teams/${team}`, "user"),
};

for (const [what, ends] of [["a user", ENDS], ["a team", TEAM_ENDS]] as const) {
  for (const [name, end] of Object.entries(ends)) {
    Deno.test(`shares with ${what}: ${name}, and its title is no longer told`, async () => {
      await using h = await harness({ variant });
      await h.grant("user", ...DOCUMENTS, ...TEAMS);
      await h.grant("other", ...TEAMS);
      const document = await done(h, "POST", "/api/documents", "user", { title: "Merger" });
      const team = await done(h, "POST", "/api/teams", "user", { name: "Crew" });
      const { other } = h.accounts;
      await done(h, "POST", `/api/teams/${team.id}/members`, "user", { userId: other.id });
      const to = what === "a user" ? { userId: other.id } : { teamId: team.id };
      const expiresAt = new Date(h.clock.now().getTime() + DAY).toISOString();
      const body = { ...to, expiresAt };
      const share = await done(h, "POST", `/api/documents/${document.id}/share`, "user", body);
      assert.ok((await newsOf(h, "other")).includes("Merger"));
      await end(h, { document: document.id, share: share.id, team: team.id });
      assert.equal((await newsOf(h, "other")).includes("Merger"), false);
      const inTeam = !name.includes("team");
      assert.equal((await newsOf(h, "other")).includes("Crew"), inTeam);
    });
  }
}

Deno.test("shares of a file: its name is no longer told when it ends", async () => {
  await using h = await harness({ variant });
  await h.grant("user", ...FILES);
  const userId = h.accounts.other.id;
  for (const end of ["share", "file"]) {
    const { id } = await upload(h, "user", { name: "merger.png" });
    const share = await done(h, "POST", `/api/files/${id}/share`, "user", { userId });
    assert.ok((await newsOf(h, "other")).includes("merger.png"));
    const path = end === "share" ? `/api/files/${id}/share/${share.id}` : `/api/files/${id}`;
    await done(h, "DELETE", path, "user");
    assert.equal((await newsOf(h, "other")).includes("merger.png"), false);
  }
});
