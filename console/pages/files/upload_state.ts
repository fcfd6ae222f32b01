// The uploads of whoever is signed in, whichever page is open.
import { listFiles } from "../../../client/mod.ts";
import { onlineManager, refresh } from "../../state/query.ts";
import { connection, user } from "../../state/session.ts";
import { createUploads, isOver } from "./uploads.ts";

export const uploads = createUploads({
  send: (file, options) => connection.upload(file, options),
  async find(name, folderId, signal) {
    const query = { ownerId: [user.peek()!.id], folderId: [folderId ?? "root"], name: [name] };
    const { data } = await listFiles({ query: { ...query, limit: 1 }, signal });
    return data.find((file) => file.name === name)?.id ?? null;
  },
  onArrived: () => refresh("files", "folders", "storage"),
});

let owner = user.peek()?.id;
user.subscribe((now) => {
  // Not while it is being found out who that is.
  if (now === undefined || now?.id === owner) return;
  owner = now?.id;
  uploads.end();
});

onlineManager.subscribe((online) => {
  if (online) uploads.resume();
});

// Leaving the window would end them.
addEventListener("beforeunload", (event) => {
  if (uploads.items.peek().some((item) => !isOver(item))) event.preventDefault();
});
