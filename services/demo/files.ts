// The demo's files: real bytes, in folders, some shared, one with an earlier version.
import { createHash } from "node:crypto";
import { contents, files, fileVersions, storageUsage } from "../../models/files.ts";
import { folders, slotOf } from "../../models/folders.ts";
import { shares } from "../../models/shares.ts";
import { fileTypeOf } from "../content/media_types.ts";
import { pdf, png, wav, zip } from "./bytes.ts";
import type { People } from "./people.ts";
import { type World } from "./world.ts";
import { DAY, HOUR } from "../../core/units.ts";

/** Bytes to put before the records that tell of them; by SHA-256, hex. */
export type Contents = ReadonlyMap<string, Uint8Array>;

interface Made {
  readonly name: string;
  readonly mimeType: string;
  /** Name of one of the owner's folders. */
  readonly folder?: string;
  readonly bytes: Uint8Array;
}

const FOLDERS = ["Pictures", "Contracts", "Recordings"];
const SUBFOLDER = "2026";

const text = (content: string) => new TextEncoder().encode(content);

function filesOf(name: string, index: number): Made[] {
  const shade = (index * 53) % 160;
  const invoice = pdf([
    "Invoice",
    `For ${name.replace(/[^\w .-]/g, "")}`,
    `Number ${1000 + index}`,
  ]);
  return [
    {
      name: "Harbour.png",
      mimeType: "image/png",
      folder: "Pictures",
      bytes: png(64, [40, 90 + shade / 2, 200]),
    },
    { name: "Logo.png", mimeType: "image/png", folder: "Pictures", bytes: png(32, [220, 120, 40]) },
    { name: "Invoice.pdf", mimeType: "application/pdf", folder: "Contracts", bytes: invoice },
    {
      name: "Lease.pdf",
      mimeType: "application/pdf",
      folder: SUBFOLDER,
      bytes: pdf(["Lease", "Two years, from January"]),
    },
    {
      name: "Notes.txt",
      mimeType: "text/plain",
      bytes: text(`Notes of ${name}.\nCall the printer.\n`),
    },
    {
      name: "Signal.wav",
      mimeType: "audio/wav",
      folder: "Recordings",
      bytes: wav(330 + 55 * index, 0.5),
    },
    {
      name: "Archive.zip",
      mimeType: "application/zip",
      bytes: zip("readme.txt", `Kept by ${name}.\n`),
    },
    {
      name: "Contacts.bin",
      mimeType: "application/octet-stream",
      bytes: Uint8Array.of(0, 255, index, 1, 1, 2, 3, 5, 8, 13),
    },
  ];
}

export function addFiles(world: World, people: People): Contents {
  const bytes = new Map<string, Uint8Array>();
  const { guest } = people.accounts;
  const owners = [
    ...people.protagonists.filter(({ id }) => id !== guest.id),
    ...people.colleagues.slice(0, 2),
  ];
  const folderIds = owners.map((owner) => addFolders(world, owner.id));
  const planned = owners.flatMap((owner, index) =>
    filesOf(owner.name, index).map((made) => ({ owner, made, folders: folderIds[index]! }))
  ).map(({ owner, made, folders }, index) => {
    const sha256 = createHash("sha256").update(made.bytes).digest("hex");
    bytes.set(sha256, made.bytes);
    const at = world.now - (90 - index * 2) * DAY - world.random.int(0, 12) * HOUR;
    return { owner, made, sha256, at, folderId: made.folder && folders.get(made.folder) };
  });

  const uses = Map.groupBy(planned, ({ sha256 }) => sha256);
  for (const [sha256, users] of uses) {
    const [{ made, at }] = users as [typeof planned[number]];
    // The blob is put, and its id filled in, when the record is loaded.
    const fields = { id: sha256, blobId: "", size: made.bytes.length, references: users.length };
    world.add(contents, at, fields);
  }
  const added = planned.map(({ owner, made, sha256, at, folderId }, index) =>
    world.add(files, at, {
      name: made.name,
      type: fileTypeOf(made.mimeType),
      mimeType: made.mimeType,
      size: made.bytes.length,
      totalSize: made.bytes.length,
      folderId,
      ownerId: owner.id,
      isFavorite: index % 6 === 1,
      version: 1,
      sha256,
    })
  );
  for (const { id, createdAt, size, mimeType, sha256, ownerId } of added) {
    const fields = { fileId: id, version: 1, size, mimeType, sha256, createdBy: ownerId };
    world.add(fileVersions, Date.parse(createdAt), fields);
  }
  for (const owner of owners) {
    const used = added.filter((file) => file.ownerId === owner.id).reduce(
      (sum, file) => sum + file.size,
      0,
    );
    world.add(storageUsage, world.now, { id: owner.id, used });
  }
  added.forEach((file, index) => {
    if (index % 4 !== 0) return;
    const { user, admin } = people.accounts;
    const fields = { fileId: file.id, createdBy: file.ownerId, permission: "read" as const };
    const userId = file.ownerId === user.id ? admin.id : user.id;
    world.add(shares, Date.parse(file.createdAt) + HOUR, { ...fields, userId });
  });
  return bytes;
}

function addFolders(world: World, ownerId: string): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const add = (name: string, parentId?: string) => {
    const fields = { name, ownerId, parentId, slot: slotOf(parentId, name) };
    ids.set(name, world.add(folders, world.now - 120 * DAY, fields).id);
  };
  for (const name of FOLDERS) add(name);
  add(SUBFOLDER, ids.get("Contracts"));
  return ids;
}
