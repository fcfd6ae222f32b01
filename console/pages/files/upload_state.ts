// The uploads of whoever is signed in, whichever page is open.
import { createFolder, listFiles, listFolders } from "../../../client/mod.ts";
import { onlineManager, refresh } from "../../state/query.ts";
import { connection, user } from "../../state/session.ts";
import { atMostEvery } from "../../state/throttle.ts";
import { createFolderMaker } from "./folder_maker.ts";
import { isOver } from "./upload.ts";
import { createUploads } from "./uploads.ts";

/** Milliseconds between two readings of what is shown, while many small files arrive. */
const READ_EVERY = 500;

const arrived = atMostEvery(READ_EVERY, () => refresh("files", "folders", "storage"));

export const uploads = createUploads({
  send: (file, options) => connection.upload(file, options),
  async find(name, folderId, signal) {
    const query = { ownerId: [user.peek()!.id], folderId: [folderId ?? "root"], name: [name] };
    const { data } = await listFiles({ query: { ...query, limit: 1 }, signal });
    return data.find((file) => file.name === name)?.id ?? null;
  },
  folders: createFolderMaker({
    list: async () => (await listFolders()).data,
    create: async (name, parentId) => (await createFolder({ body: { name, parentId } })).data.id,
  }),
  onArrived: arrived.ask,
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
