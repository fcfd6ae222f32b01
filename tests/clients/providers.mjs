// Runs the data providers of react-admin and refine, as they are published, against a running server: every method on
// every resource. Prints a line per method that did what it promises; ends with an error at the first that did not.
// Settings: ORIGIN of the server, TOKEN and USER_ID of a super_admin.
import assert from "node:assert/strict";
import simpleRest from "ra-data-simple-rest";
import jsonServer from "ra-data-json-server";
import { fetchUtils } from "ra-core";
import refine, { axiosInstance } from "@refinedev/simple-rest";

const { ORIGIN, TOKEN, USER_ID } = process.env;
const api = `${ORIGIN}/api/rest`;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const COUNT = 12;

/** How a record of each resource is made and changed, the field it is sorted by, and what many of them refer to. */
const RESOURCES = {
  users: {
    create: (name) => ({ name, email: `${name.replaceAll(" ", ".")}@example.com`, role: "user" }),
    change: { department: "Sales" },
    label: "name",
    reference: ["role", "user"],
  },
  documents: {
    create: (title) => ({ title, content: "text", tags: ["one"] }),
    change: { type: "code" },
    label: "title",
    reference: ["ownerId", USER_ID],
  },
  files: {
    create: (name) => ({ name: `${name}.png`, content: `data:image/png;base64,${PNG}` }),
    change: { isFavorite: true },
    label: "name",
    reference: ["ownerId", USER_ID],
  },
  "calendar/events": {
    create: (title) => ({ title, start: "2026-12-01T09:00:00Z", end: "2026-12-01T10:00:00Z" }),
    change: { location: "Room 1" },
    label: "title",
    reference: ["ownerId", USER_ID],
  },
  teams: {
    create: (name) => ({ name }),
    change: { description: "Changed" },
    label: "name",
    reference: ["ownerId", USER_ID],
  },
  roles: {
    create: (name) => ({ name: name.replaceAll(" ", "-"), permissions: ["documents:view"] }),
    change: { label: "Changed" },
    label: "name",
    reference: ["builtIn", false],
  },
};

const httpClient = (url, options = {}) =>
  fetchUtils.fetchJson(url, {
    ...options,
    user: { authenticated: true, token: `Bearer ${TOKEN}` },
  });

/** @param {string} provider @param {string} resource @param {string} method */
function passed(provider, resource, method) {
  console.log(`passed ${provider} ${resource} ${method}`);
}

/** Every method of a react-admin data provider. */
async function reactAdmin(name, provider) {
  for (
    const [resource, { create, change, label, reference: [target, id] }] of Object.entries(
      RESOURCES,
    )
  ) {
    const done = (method) => passed(name, resource, method);
    const word = `${name.slice(3, 9)} ${resource.slice(0, 3)}`;
    const made = [];
    for (let n = 0; n < COUNT; n++) {
      const data = create(`${word} ${String(n).padStart(2, "0")}`);
      made.push((await provider.create(resource, { data })).data);
      assert.ok(made[n].id, `${resource} has an id`);
    }
    done("create");
    const search = made[0][label].slice(0, word.length);
    const list = (page, order) =>
      provider.getList(resource, {
        pagination: { page, perPage: 5 },
        sort: { field: label, order },
        filter: { q: search },
      });
    const labels = made.map((one) => one[label]);
    const second = await list(2, "ASC");
    assert.equal(second.total, COUNT);
    assert.deepEqual(second.data.map((one) => one[label]), labels.slice(5, 10));
    const last = await list(3, "DESC");
    assert.deepEqual(last.data.map((one) => one[label]), labels.slice(0, 2).reverse());
    done("getList");
    const one = await provider.getOne(resource, { id: made[3].id });
    assert.equal(one.data[label], labels[3]);
    done("getOne");
    const ids = made.map((one) => one.id);
    const many = await provider.getMany(resource, { ids });
    assert.deepEqual(many.data.map((one) => one.id).sort(), [...ids].sort());
    done("getMany");
    const referring = await provider.getManyReference(resource, {
      target,
      id,
      pagination: { page: 1, perPage: 5 },
      sort: { field: "createdAt", order: "DESC" },
      filter: { q: search },
    });
    assert.equal(referring.total, COUNT);
    assert.deepEqual(referring.data.map((one) => one.id), ids.slice(-5).reverse());
    done("getManyReference");
    // A form sends the whole record back.
    const record = (await provider.getOne(resource, { id: ids[0] })).data;
    const saved = await provider.update(resource, {
      id: ids[0],
      data: { ...record, ...change },
      previousData: record,
    });
    const [[field, value]] = Object.entries(change);
    assert.equal(saved.data[field], value);
    assert.equal(saved.data[label], labels[0]);
    done("update");
    const some = ids.slice(1, 4);
    assert.deepEqual((await provider.updateMany(resource, { ids: some, data: change })).data, some);
    const after = await provider.getMany(resource, { ids: some });
    assert.deepEqual(after.data.map((one) => one[field]), [value, value, value]);
    done("updateMany");
    const gone = await provider.delete(resource, { id: ids[0], previousData: made[0] });
    assert.equal(gone.data.id, ids[0]);
    await assert.rejects(provider.getOne(resource, { id: ids[0] }), { status: 404 });
    done("delete");
    const rest = ids.slice(1);
    assert.deepEqual((await provider.deleteMany(resource, { ids: rest })).data, rest);
    assert.equal((await list(1, "ASC")).total, 0);
    done("deleteMany");
    await assert.rejects(provider.create(resource, { data: {} }), (error) => {
      assert.equal(error.status, 400);
      assert.ok(
        Object.keys(error.body.errors).length > 0,
        "its fields are told as forms read them",
      );
      return true;
    });
  }
}

/** Every method of refine's data provider; refine itself makes the rest of them. */
async function refineProvider(name, provider) {
  for (
    const [resource, { create, change, label, reference: [target, id] }] of Object.entries(
      RESOURCES,
    )
  ) {
    const done = (method) => passed(name, resource, method);
    const word = `refine ${resource.slice(0, 3)}`;
    const made = [];
    for (let n = 0; n < COUNT; n++) {
      const variables = create(`${word} ${String(n).padStart(2, "0")}`);
      made.push((await provider.create({ resource, variables })).data);
    }
    done("create");
    const search = made[0][label].slice(0, word.length);
    const list = (currentPage, order, filter) =>
      provider.getList({
        resource,
        pagination: { currentPage, pageSize: 5, mode: "server" },
        sorters: [{ field: label, order }],
        filters: [filter],
      });
    const labels = made.map((one) => one[label]);
    const contains = { field: label, operator: "contains", value: search };
    const second = await list(2, "asc", contains);
    assert.equal(second.total, COUNT);
    assert.deepEqual(second.data.map((one) => one[label]), labels.slice(5, 10));
    const q = await list(3, "desc", { field: "q", operator: "contains", value: search });
    assert.deepEqual(q.data.map((one) => one[label]), labels.slice(0, 2).reverse());
    const eq = await list(1, "asc", { field: target, operator: "eq", value: id });
    assert.ok(eq.total >= COUNT);
    const ne = await list(1, "asc", { field: "id", operator: "ne", value: made[0].id });
    const gte = await list(1, "asc", {
      field: "createdAt",
      operator: "gte",
      value: made[0].createdAt,
    });
    assert.ok(ne.total >= COUNT - 1 && gte.total >= COUNT);
    done("getList");
    assert.equal((await provider.getOne({ resource, id: made[3].id })).data[label], labels[3]);
    done("getOne");
    const ids = made.map((one) => one.id);
    const many = await provider.getMany({ resource, ids });
    assert.deepEqual(many.data.map((one) => one.id).sort(), [...ids].sort());
    done("getMany");
    const [[field, value]] = Object.entries(change);
    const record = (await provider.getOne({ resource, id: ids[0] })).data;
    const saved = await provider.update({
      resource,
      id: ids[0],
      variables: { ...record, ...change },
    });
    assert.equal(saved.data[field], value);
    done("update");
    for (const id of ids) assert.equal((await provider.deleteOne({ resource, id })).data.id, id);
    await assert.rejects(provider.getOne({ resource, id: ids[0] }), { statusCode: 404 });
    done("deleteOne");
    const custom = await provider.custom({
      url: `${api}/${resource}`,
      method: "get",
      query: { limit: 1 },
    });
    assert.ok(Array.isArray(custom.data));
    done("custom");
  }
}

await reactAdmin("ra-data-simple-rest", simpleRest(api, httpClient));
await reactAdmin("ra-data-json-server", jsonServer(api, httpClient));
axiosInstance.defaults.headers.common.Authorization = `Bearer ${TOKEN}`;
await refineProvider("@refinedev/simple-rest", refine(api, axiosInstance));
