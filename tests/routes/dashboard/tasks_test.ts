// The tasks of the dashboard.
import assert from "node:assert/strict";
import { tasks } from "../../../models/dashboard.ts";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { arrange, type State } from "./dashboard_scene.ts";

const NOWHERE = "01900000-0000-7000-8000-000000000000";

scenarios<State>("tasks", {
  arrange,
  rows: [
    {
      name: "tasks, newest first, with who does them",
      method: "GET",
      path: "/api/dashboard/tasks",
      as: "guest",
      status: 200,
      after(h, { data, body }) {
        const [done, pending] = data;
        assert.deepEqual(Object.keys(done), ["id", "title", "status", "priority"]);
        assert.equal(pending.assignee.name, h.accounts.user.name);
        assert.equal(pending.dueDate, "2026-11-22T00:00:00.000Z");
        assert.equal(body.pagination.total, 2);
      },
    },
    {
      name: "tasks by status",
      method: "GET",
      path: "/api/dashboard/tasks?status=PENDING&sort=dueDate",
      as: "guest",
      status: 200,
      holds: { data: [{ title: "Write", status: "pending", priority: "high" }] },
    },
    {
      name: "tasks with a bad status: 400",
      method: "GET",
      path: "/api/dashboard/tasks?status=lost",
      as: "guest",
      status: 400,
      details: ["status"],
    },
    {
      name: "one task, as the list shows it, with the version that a change is made against",
      method: "GET",
      path: (s) => `/api/dashboard/tasks/${s.pending.id}`,
      as: "guest",
      status: 200,
      async after(h, { data, headers }, s) {
        const path = `/api/dashboard/tasks/${s.pending.id}`;
        const listed = await h.ask("GET", `/api/dashboard/tasks?id=${s.pending.id}`, {
          as: "guest",
        });
        assert.deepEqual(data, listed.data[0]);
        const etag = headers.get("etag")!;
        const same = { as: "guest", headers: { "if-none-match": etag } } as const;
        assert.equal((await h.ask("GET", path, same)).status, 304);
        const write = {
          as: "guest",
          headers: { "if-match": etag },
          body: { title: "Rest" },
        } as const;
        assert.equal((await h.ask("PUT", path, write)).status, 200);
        assert.equal((await h.ask("PUT", path, write)).status, 412);
        assert.equal((await h.ask("GET", path, same)).data.title, "Rest");
      },
    },
    ...([["guest", 404], ["other", 404], [undefined, 401]] as const).map(([as, status]) => ({
      name: `no task, read by ${as ?? "nobody"}: ${status}`,
      method: "GET",
      path: `/api/dashboard/tasks/${NOWHERE}`,
      as,
      status,
    })),
    {
      name: "a task is created",
      method: "POST",
      path: "/api/dashboard/tasks",
      as: "guest",
      body: (s: State) => ({
        title: " Plan ",
        priority: "URGENT",
        dueDate: "2026-12-01",
        assigneeId: s.user,
      }),
      status: 201,
      holds: (s: State) => ({
        data: {
          title: "Plan",
          status: "pending",
          priority: "urgent",
          dueDate: "2026-12-01T00:00:00.000Z",
          assignee: { id: s.user },
        },
      }),
      after: async (h) => {
        const stats = await h.ask("GET", "/api/dashboard/stats", { as: "guest" });
        assert.equal(stats.data.pendingTasks, 2);
      },
    },
    {
      name: "a task names each bad field",
      method: "POST",
      path: "/api/dashboard/tasks",
      as: "guest",
      body: { title: " ", status: "lost", dueDate: "soon" },
      status: 400,
      details: ["title", "status", "dueDate"],
    },
    {
      name: "a task for nobody: 400",
      method: "POST",
      path: "/api/dashboard/tasks",
      as: "guest",
      body: { title: "x", assigneeId: NOWHERE },
      status: 400,
      details: ["assigneeId"],
    },
    {
      name: "a task as user: 403",
      method: "POST",
      path: "/api/dashboard/tasks",
      as: "user",
      body: { title: "x" },
      status: 403,
    },
    {
      name: "a task is changed, and its fields removed",
      method: "PUT",
      path: (s) => `/api/dashboard/tasks/${s.pending.id}`,
      as: "guest",
      body: { status: "done", dueDate: null, assigneeId: "" },
      status: 200,
      after: (_, { data }) => {
        assert.equal(data.status, "done");
        assert.equal(data.dueDate, undefined);
        assert.equal(data.assignee, undefined);
      },
    },
    {
      name: "a task is changed at the version that was read",
      method: "PATCH",
      path: (s) => `/api/dashboard/tasks/${s.pending.id}`,
      as: "guest",
      headers: { "if-match": '"old"' },
      body: { title: "x" },
      status: 412,
    },
    {
      name: "a task changed to a bad status: 400",
      method: "PUT",
      path: (s) => `/api/dashboard/tasks/${s.pending.id}`,
      as: "guest",
      body: { status: "lost" },
      status: 400,
      details: ["status"],
    },
    {
      name: "change of no task: 404",
      method: "PUT",
      path: `/api/dashboard/tasks/${NOWHERE}`,
      as: "guest",
      body: {},
      status: 404,
    },
    {
      name: "change of a task as user: 403",
      method: "PUT",
      path: (s) => `/api/dashboard/tasks/${s.done.id}`,
      as: "user",
      body: {},
      status: 403,
    },
    {
      name: "a task is deleted",
      method: "DELETE",
      path: (s) => `/api/dashboard/tasks/${s.done.id}`,
      as: "guest",
      status: 200,
      after: async (h, _, s) => assert.equal(await h.store.from(tasks).get(s.done.id), null),
    },
    {
      name: "deletion of no task: 404",
      method: "DELETE",
      path: `/api/dashboard/tasks/${NOWHERE}`,
      as: "guest",
      status: 404,
    },
    {
      name: "deletion of a task as user: 403",
      method: "DELETE",
      path: (s) => `/api/dashboard/tasks/${s.done.id}`,
      as: "user",
      status: 403,
    },
    {
      name: "deletion of a task at another version: 412",
      method: "DELETE",
      path: (s) => `/api/dashboard/tasks/${s.done.id}`,
      as: "guest",
      headers: { "if-match": '"old"' },
      status: 412,
    },
  ],
});

Deno.test("tasks: that of someone who is suspended is saved whole, and nobody gives them another", async () => {
  await using h = await harness();
  const s = await arrange(h);
  const status = { as: "super", body: { status: "suspended" } } as const;
  assert.equal((await h.ask("PUT", `/api/users/${s.user}`, status)).status, 200);
  const save = (id: string, body: Record<string, unknown>) =>
    h.ask("PUT", `/api/dashboard/tasks/${id}`, { as: "guest", body });
  const saved = await save(s.pending.id, { title: "Rest", assigneeId: s.user });
  assert.deepEqual([saved.status, saved.data.assignee.id], [200, s.user]);
  assert.equal((await save(s.done.id, { assigneeId: s.user })).status, 400);
});

Deno.test("tasks: whoever is given one by somebody else is told, until it is another's or gone", async () => {
  await using h = await harness();
  await h.grant("guest", "dashboard:update");
  const path = "/api/dashboard/tasks";
  const told = async (as: "user" | "other" | "guest") => {
    const { data } = await h.ask("GET", "/api/notifications?type=task", { as });
    return data.map((one: Record<string, string>) => [one.title, one.content, one.link]);
  };
  const { user, other, guest } = h.accounts;
  const body = { title: "Plan", assigneeId: user.id };
  const { id } = (await h.ask("POST", path, { as: "guest", body })).data;
  const put = (changes: unknown) => h.ask("PUT", `${path}/${id}`, { as: "guest", body: changes });
  const notice = ["Guest Person gave you a task", "Plan", `/tasks/${id}`];
  assert.deepEqual(await told("user"), [notice]);
  await put({ title: "Plan", status: "in_progress" });
  await put(body);
  assert.deepEqual(await told("user"), [notice], "once");
  await put({ assigneeId: other.id });
  assert.deepEqual([await told("user"), await told("other")], [[], [notice]]);
  await put({ assigneeId: guest.id });
  assert.deepEqual([await told("other"), await told("guest")], [[], []], "nobody of their own");
  await put({ assigneeId: user.id });
  await h.ask("DELETE", `${path}/${id}`, { as: "guest" });
  assert.deepEqual(await told("user"), []);
});
