// Two documents of two people, and how tests share them.
import assert from "node:assert/strict";
import type { Account, Ask, Harness } from "../../harness.ts";

const RIGHTS = ["documents:create", "documents:update", "documents:delete"];

/** Asks, and expects success. */
export async function done(h: Harness, method: string, path: string, ask: Ask) {
  const reply = await h.ask(method, path, ask);
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
  return reply.data;
}

/** A tagged document of `user` and one of `other`; `other` and `guest` hold every permission but see nothing of it yet. */
export async function arrange(h: Harness) {
  for (const account of ["user", "other", "guest"] as const) {
    await h.grant(account, "documents:view", ...RIGHTS);
  }
  const create = (as: Account, title: string) =>
    done(h, "POST", "/api/documents", {
      as,
      body: { title, content: "text", folder: "/a", tags: ["t"] },
    });
  const own = await create("user", "Plan");
  const foreign = await create("other", "Diary");
  const id = Object.fromEntries(
    Object.entries(h.accounts).map(([account, user]) => [account, user.id]),
  ) as Record<Account, string>;
  const path = `/api/documents/${own.id}`;
  return { own, foreign, path, hidden: `/api/documents/${foreign.id}`, id };
}

export type State = Awaited<ReturnType<typeof arrange>>;

export function share(h: Harness, s: State, body: unknown, as: Account = "user") {
  return h.ask("POST", `${s.path}/share`, { as, body });
}

/** A team of `user` with members. */
export async function teamOf(h: Harness, members: readonly Account[]) {
  await h.grant("user", "teams:view", "teams:create", "teams:update", "teams:delete");
  const team = await done(h, "POST", "/api/teams", { as: "user", body: { name: "Crew" } });
  for (const account of members) {
    const body = { userId: h.accounts[account].id };
    await done(h, "POST", `/api/teams/${team.id}/members`, { as: "user", body });
  }
  return team;
}
