// Two users who may do everything with what is theirs, and what any account does.
import assert from "node:assert/strict";
import { type Account, type Harness, harness } from "../../harness.ts";

const ACTIONS = ["view", "create", "update", "delete"];
const EVERYTHING = ["documents", "files", "messages", "calendar", "teams"].flatMap((resource) =>
  ACTIONS.map((action) => `${resource}:${action}`)
);
export interface Done {
  readonly id: string;
  readonly position: string;
}

export interface Scene {
  readonly h: Harness;
  act(
    as: Account,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Done>;
}

export async function sceneOf(variant = "full"): Promise<Scene & AsyncDisposable> {
  const h = await harness({ variant, env: { UPLOAD_TYPES: "*" } });
  await h.grant("user", ...EVERYTHING);
  await h.grant("other", ...EVERYTHING);
  return {
    h,
    async act(as, method, path, body) {
      const reply = await h.ask(method, `/api${path}`, { as, body });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      const position = reply.headers.get("x-journal-position")!;
      return { id: reply.data?.id, position };
    },
    [Symbol.asyncDispose]: () => h[Symbol.asyncDispose](),
  };
}
