// The views of a list: each has a name of its own.
import assert from "node:assert/strict";
import { holderOf, withBack, withName, withView } from "../../../console/parts/view_list.ts";

const admins = { name: "Admins", query: "role=admin" };
const guests = { name: "Guests", query: "role=guest" };
const views = [admins, guests];

Deno.test("views: one that is renamed stays where it is, under its name without blanks around", () => {
  assert.deepEqual(withName(views, admins, " Chiefs "), [{ ...admins, name: "Chiefs" }, guests]);
  assert.deepEqual(views, [admins, guests]);
});

Deno.test("views: a name that another one has is not given, however it is written", () => {
  for (const name of ["Guests", "guests", " GUESTS "]) {
    assert.equal(withName(views, admins, name), undefined, name);
    assert.equal(holderOf(views, name, admins), guests, name);
  }
});

Deno.test("views: one's own name may be kept, and written otherwise", () => {
  assert.deepEqual(withName(views, admins, "Admins"), views);
  assert.deepEqual(withName(views, admins, "ADMINS"), [{ ...admins, name: "ADMINS" }, guests]);
});

Deno.test("views: a new one takes the place of one that has its name, and is the last", () => {
  const again = { name: "admins", query: "role=admin&status=active" };
  assert.deepEqual(withView(views, again), [guests, again]);
  const other = { name: "All of them", query: "sort=name" };
  assert.deepEqual(withView(views, other), [admins, guests, other]);
});

Deno.test("views: one that comes back stands where it stood, unless its name is another's by now", () => {
  assert.deepEqual(withBack([guests], admins, 0), [admins, guests]);
  assert.deepEqual(withBack([], guests, 1), [guests]);
  const another = { ...guests, name: "admins" };
  assert.deepEqual(withBack([another], admins, 0), [another]);
  // What was renamed since then keeps its new name.
  const renamed = { ...guests, name: "Visitors" };
  assert.deepEqual(withBack([renamed], admins, 0), [admins, renamed]);
});
