// What one stores, by kind of file, and what a copy counts for.
import assert from "node:assert/strict";
import { harness } from "../../harness.ts";
import { scenarios } from "../../scenario.ts";
import { pdf, upload } from "../../uploads.ts";
import { ALL, arrange, type State } from "./file_scene.ts";

scenarios("storage usage", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "storage, by kind",
      method: "GET",
      path: "/api/files/storage",
      as: "user",
      status: 200,
      holds: ({ image, report }: State) => ({
        data: {
          used: image.size + report.size,
          total: 1024 ** 3,
          fileCount: 2,
          breakdown: {
            images: image.size,
            documents: report.size,
            videos: 0,
            audio: 0,
            archives: 0,
            others: 0,
          },
        },
      }),
    },
    {
      name: "storage of who has nothing",
      method: "GET",
      path: "/api/files/storage",
      as: "admin",
      status: 200,
      holds: { data: { used: 0, fileCount: 0 } },
    },
    {
      name: "storage without a token: 401",
      method: "GET",
      path: "/api/files/storage",
      status: 401,
    },
    {
      name: "storage as guest: 403",
      method: "GET",
      path: "/api/files/storage",
      as: "guest",
      status: 403,
    },
  ],
});

Deno.test("storage usage: a copy counts for the quota of who makes it", async () => {
  const size = pdf().length;
  await using h = await harness({ variant: "full", env: { STORAGE_QUOTA: `${size + 1}` } });
  await h.grant("user", ...ALL);
  const file = await upload(h, "user", { bytes: pdf(), type: "application/pdf" });
  const copy = (as: "user" | "admin") =>
    h.ask("POST", `/api/files/${file.id}/copy`, { as, body: {} });
  assert.equal((await copy("user")).status, 413);
  assert.equal((await copy("admin")).status, 201);
});
