// The data providers of react-admin and refine, as they are published on npm, against the real server.
// Run by `deno task test:examples`, for it brings them from npm.
import assert from "node:assert/strict";
import { startServer } from "../server.ts";
import { packagesOf } from "./packages.ts";

const PASSWORD = "kept for the providers";
const RESOURCES = ["users", "documents", "files", "calendar/events", "teams", "roles"];
const REACT_ADMIN = [
  ...["create", "getList", "getOne", "getMany", "getManyReference"],
  ...["update", "updateMany", "delete", "deleteMany"],
];
const METHODS = {
  "ra-data-simple-rest": REACT_ADMIN,
  "ra-data-json-server": REACT_ADMIN,
  // It has no others: refine makes them of these.
  "@refinedev/simple-rest": [
    ...["create", "getList", "getOne", "getMany", "update", "deleteOne", "custom"],
  ],
};

Deno.test("examples: the stock data providers work unchanged, each method on each resource", async () => {
  await using providers = await packagesOf("tests/clients");
  await using server = await startServer({
    VARIANT: "full",
    ADMIN_PASSWORD: PASSWORD,
    JWT_SECRET: "an access secret for the providers, long enough",
    REFRESH_TOKEN_SECRET: "a refresh secret for the providers, long enough",
  });
  const login = await fetch(`${server.origin}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@example.com", password: PASSWORD }),
  });
  const { accessToken, user } = await login.json();
  const env = { ORIGIN: server.origin, TOKEN: accessToken, USER_ID: user.id };
  const told = await providers.run("node", ["providers.mjs"], env);
  const expected = Object.entries(METHODS).flatMap(([provider, methods]) =>
    RESOURCES.flatMap((resource) =>
      methods.map((method) => `passed ${provider} ${resource} ${method}`)
    )
  );
  assert.deepEqual(told.trim().split("\n"), expected);
});
