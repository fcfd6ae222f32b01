// Whether a disk counts as full where the reserve has no room: for a server's store it does.
import assert from "node:assert/strict";
import { StoreFull } from "../../storage/port.ts";
import { Room } from "../../storage/room.ts";
import { smallDisk } from "../e2e/small_disk.ts";

Deno.test("room: without the reserve a server's store counts as full, and a copy in the making does not", async () => {
  await using disk = await smallDisk(4);
  const path = `${disk.folder}/store.db`;
  new Room(path).admitBytes();
  const room = new Room(path, undefined, true);
  assert.throws(() => room.admitBytes(), StoreFull);
  await disk.grow();
  new Room(path, undefined, true).admitBytes();
});
