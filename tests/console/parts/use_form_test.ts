// A form from the first key to the server's answer.
import assert from "node:assert/strict";
import { ApiError } from "../../../client/mod.ts";
import { createForm, type FormOptions } from "../../../console/parts/use_form.ts";

interface Values {
  title: string;
  tags: readonly string[];
}

function form(options: Partial<FormOptions<Values>> = {}) {
  const sent: Values[] = [];
  const state = createForm<Values>(() => ({
    initial: { title: "", tags: [] },
    submit: (values) => void sent.push(values),
    ...options,
  }));
  return { state, sent };
}

Deno.test("form: values, whether they differ, and back", () => {
  const { state } = form();
  assert.equal(state.dirty.value, false);
  state.field("title").onChange("A harbour");
  assert.equal(state.field("title").value, "A harbour");
  assert.equal(state.dirty.value, true);
  state.field("title").onChange("");
  state.field("tags").onChange([]);
  assert.equal(state.dirty.value, false, "an equal list is no change");
  state.set({ title: "B", tags: ["x"] });
  state.reset();
  assert.deepEqual(state.get(), { title: "", tags: [] });
  state.reset({ title: "C", tags: [] });
  assert.equal(state.dirty.value, false);
  assert.equal(state.get().title, "C");
});

Deno.test("form: what it knows to be wrong is not sent", async () => {
  const { state, sent } = form({
    check: ({ title }) => ({ title: title ? undefined : "missing" }),
  });
  assert.equal(await state.submit(), false);
  assert.equal(state.field("title").error, "missing");
  state.field("title").onChange("A");
  assert.equal(state.field("title").error, undefined, "the error was of the value before");
  assert.equal(await state.submit(), true);
  assert.deepEqual(sent, [{ title: "A", tags: [] }]);
});

Deno.test("form: what the server refuses is shown at its field, once it has answered", async () => {
  const refusal = new ApiError("no", 422, "VALIDATION_ERROR", [{
    field: "title",
    message: "taken",
  }]);
  const answer = Promise.withResolvers<void>();
  const { state } = form({ submit: () => answer.promise });
  const sending = state.submit();
  assert.equal(state.busy.value, true);
  assert.equal(await state.submit(), false, "it is not sent twice");
  answer.reject(refusal);
  assert.equal(await sending, false);
  assert.equal(state.busy.value, false);
  assert.deepEqual(state.errors.value, { fields: { title: "taken" }, summary: null });
});

Deno.test("form: another may take an error", async () => {
  const taken: unknown[] = [];
  const { state } = form({
    submit: () => Promise.reject(new Error("conflict")),
    onError: (error) => taken.push(error) > 0,
  });
  assert.equal(await state.submit(), false);
  assert.equal(taken.length, 1);
  assert.equal(state.errors.value.summary, null);
});
