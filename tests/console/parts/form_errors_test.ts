// At which field of a form an error of the API is shown.
import assert from "node:assert/strict";
import { ApiError } from "../../../client/mod.ts";
import { formErrors } from "../../../console/parts/form_errors.ts";

const NAMES = ["title", "address", "items", "due.at"];
const refused = (...details: { field: string; message: string }[]) =>
  new ApiError("The request is not valid", 422, "VALIDATION_ERROR", details);

Deno.test("form errors: each at its field, the first of several", () => {
  const error = refused(
    { field: "title", message: "too short" },
    { field: "title", message: "not a title" },
    { field: "address", message: "unknown" },
  );
  assert.deepEqual(formErrors(error, NAMES), {
    fields: { title: "too short", address: "unknown" },
    summary: null,
  });
});

Deno.test("form errors: a path belongs to the field that begins it", () => {
  const error = refused(
    { field: "address.city", message: "unknown" },
    { field: "items[2].price", message: "negative" },
    { field: "due.at", message: "past" },
  );
  assert.deepEqual(formErrors(error, NAMES).fields, {
    address: "unknown",
    items: "negative",
    "due.at": "past",
  });
  assert.deepEqual(formErrors(refused({ field: "items.0", message: "empty" }), NAMES).fields, {
    items: "empty",
  });
});

Deno.test("form errors: what belongs to no field stands above the form", () => {
  const error = refused({ field: "title", message: "taken" }, { field: "owner", message: "gone" });
  assert.deepEqual(formErrors(error, NAMES), {
    fields: { title: "taken" },
    summary: "owner: gone",
  });
  // "titles" is not "title".
  assert.equal(formErrors(refused({ field: "titles", message: "x" }), NAMES).summary, "titles: x");
});

Deno.test("form errors: without details, and without an answer, the message stands above the form", () => {
  const forbidden = new ApiError("Not allowed", 403, "FORBIDDEN");
  assert.deepEqual(formErrors(forbidden, NAMES), { fields: {}, summary: "Not allowed" });
  assert.equal(formErrors(new TypeError("broken"), NAMES).summary, "broken");
  assert.equal(formErrors("odd", NAMES).summary, "odd");
});
