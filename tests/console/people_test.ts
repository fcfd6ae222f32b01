// What the console makes of users, roles and questions about access before anything is shown.
import assert from "node:assert/strict";
import { ApiError, type User } from "../../client/mod.ts";
import { questionIn, textOf } from "../../console/pages/access/question.ts";
import { identifierOf } from "../../console/pages/roles/identifier.ts";
import { sorted } from "../../console/state/batch_outcome.ts";
import { changesOf, valuesOf } from "../../console/pages/users/edit_values.ts";
import {
  changesBetween,
  heldBy,
  holds,
  matrixOf,
  reachOf,
  toggled,
} from "../../console/state/permission_sets.ts";
import { permits } from "../../services/access/access.ts";

const CATALOGUE = ["*", "files:*", "files:view", "files:update", "users:*", "users:view"]
  .map((name) => ({ name }));

Deno.test("permission sets: the console's rule is the server's", () => {
  const sets = [[], ["*"], ["files:*"], ["files:view"], ["users:*", "files:view"]];
  for (const held of sets) {
    for (const { name } of CATALOGUE) {
      assert.equal(holds(held, name), permits(held, name), `${held} and ${name}`);
    }
  }
});

Deno.test("permission sets: what holds a permission beside itself", () => {
  assert.equal(heldBy(["files:*", "files:view"], "files:view"), "files:*");
  assert.equal(heldBy(["files:view"], "files:view"), null);
  assert.equal(heldBy(["*"], "files:*"), "*");
  assert.equal(heldBy(["users:*"], "files:view"), null);
});

Deno.test("permission sets: resources as rows, with what is held and not listed", () => {
  const { actions, rows } = matrixOf(CATALOGUE, ["ships:launch", "files:view"]);
  assert.deepEqual(actions, ["*", "view", "update", "launch"]);
  assert.deepEqual(rows.map(({ resource }) => resource), ["files", "users", "ships"]);
  assert.deepEqual([...rows[1]!.cells.keys()], ["*", "view"]);
  assert.equal(rows[2]!.cells.get("launch")?.name, "ships:launch");
});

Deno.test("permission sets: given once, taken away, counted and compared", () => {
  assert.deepEqual(toggled(["a:b"], "a:b", true), ["a:b"]);
  assert.deepEqual(toggled(["a:b", "c:d"], "a:b", false), ["c:d"]);
  assert.deepEqual(reachOf(CATALOGUE, ["files:*"]), { open: 2, of: 3 });
  assert.deepEqual(reachOf(CATALOGUE, ["*"]), { open: 3, of: 3 });
  assert.deepEqual(changesBetween(["a:b", "c:d"], ["c:d", "e:f"]), {
    added: ["e:f"],
    removed: ["a:b"],
  });
});

const ada: User = {
  id: "1",
  name: "Ada",
  email: "ada@example.com",
  phone: "42",
  role: "clerk",
  roles: [{ id: "2", name: "clerk", label: "Clerk", permissions: ["users:view"] }],
  permissions: ["users:view", "files:view"],
  status: "active",
  createdAt: "2026-11-22T00:00:00.000Z",
  updatedAt: "2026-11-22T00:00:00.000Z",
  emailVerified: true,
};

Deno.test("a user's form: only what was changed is sent, and what was emptied is removed", () => {
  const values = valuesOf(ada);
  assert.deepEqual(values.permissions, ["files:view"]);
  assert.deepEqual(changesOf(values, ada), {});
  assert.deepEqual(changesOf({ ...values, phone: "", name: "", department: "Deck" }, ada), {
    phone: null,
    // For the server to refuse: a name is never taken away.
    name: "",
    department: "Deck",
  });
  assert.deepEqual(changesOf({ ...values, permissions: [] }, ada), { permissions: [] });
});

Deno.test("many users: who was changed, who was not and why", () => {
  const error = { code: "FORBIDDEN", message: "You cannot manage Ada" };
  assert.deepEqual(
    sorted([
      { id: "1", status: 200, body: { success: true } },
      { id: "2", status: 403, body: { success: false, error } },
      { id: "3", status: 404, body: { error: { code: "NOT_FOUND", message: "No user" } } },
      { id: "4", status: 400, body: { error: "as variant web says it" } },
    ]),
    {
      done: ["1"],
      refused: [
        { id: "2", message: "You cannot manage Ada" },
        { id: "3" },
        { id: "4", message: "as variant web says it" },
      ],
    },
  );
});

Deno.test("many users: where a proof is asked for, all of it waits for that", () => {
  const body = { error: { code: "STEP_UP_REQUIRED", message: "Prove who you are" } };
  assert.throws(
    () => sorted([{ id: "1", status: 403, body }]),
    (error) => error instanceof ApiError && error.code === "STEP_UP_REQUIRED",
  );
});

Deno.test("a role's identifier is made of its name", () => {
  assert.equal(identifierOf("Head of sales"), "head_of_sales");
  assert.equal(identifierOf("  Élève (2)!"), "eleve_2");
  assert.equal(identifierOf("客服 主管"), "客服_主管");
  assert.equal(identifierOf("x".repeat(80)).length, 50);
});

Deno.test("a question about access stands in the address", () => {
  const asked = { userId: "7", permission: "files:update", resource: "files", id: "9" } as const;
  assert.deepEqual(questionIn(new URLSearchParams(textOf(asked))), asked);
  assert.equal(textOf({ userId: "", permission: "", resource: "", id: "" }), "");
  // A record of a kind that nobody knows is none.
  const strange = questionIn(new URLSearchParams("resource=ships&id=9"));
  assert.deepEqual(strange, { userId: "", permission: "", resource: "", id: "" });
});
