// Files of two people, one of them in a folder within a folder.
import assert from "node:assert/strict";
import type { Harness } from "../../harness.ts";
import { jpeg, pdf, upload } from "../../uploads.ts";

export const ALL = ["files:create", "files:update", "files:delete"];

/** Makes a folder. */
export async function folder(
  h: Harness,
  as: "user" | "other" | "admin",
  name: string,
  parentId?: string,
) {
  const reply = await h.ask("POST", "/api/folders", { as, body: { name, parentId } });
  assert.equal(reply.status, 201, reply.text);
  return reply.data as { id: string };
}

export async function arrange(h: Harness) {
  await h.grant("user", ...ALL);
  await h.grant("other", ...ALL);
  const reports = await folder(h, "user", "Reports");
  const year = await folder(h, "user", "2026", reports.id);
  const foreign = await folder(h, "other", "Foreign");
  const image = await upload(h, "user", { name: "sea.png" });
  const report = await upload(h, "user", {
    name: "sales.pdf",
    bytes: pdf("sales"),
    type: "application/pdf",
    fields: { folderId: year.id },
  });
  const theirs = await upload(h, "other", { bytes: jpeg(), name: "t.jpg", type: "image/jpeg" });
  return { reports, year, foreign, image, report, theirs };
}

export type State = Awaited<ReturnType<typeof arrange>>;
