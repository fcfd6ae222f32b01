// Folders that are uploaded: what is read of them, which of their folders are made, and where each file goes.
import assert from "node:assert/strict";
import { ApiError, type Folder } from "../../client/mod.ts";
import { chosenBy, chosenIn, MOST_FILES } from "../../console/pages/files/chosen.ts";
import { createFolderMaker } from "../../console/pages/files/folder_maker.ts";
import { pathOf } from "../../console/pages/files/upload.ts";
import { createUploads } from "../../console/pages/files/uploads.ts";

/** A file of a browser's file system, or one that cannot be read. */
function fileEntry(name: string, readable = true): FileSystemEntry {
  return {
    name,
    isFile: true,
    isDirectory: false,
    file: (got: (file: File) => void, failed: (error: Error) => void) =>
      readable ? got(new File(["x"], name)) : failed(new Error("NotReadableError")),
  } as unknown as FileSystemEntry;
}

/** A folder that tells of its content in parts, as browsers do. */
function folderEntry(name: string, content: readonly FileSystemEntry[]): FileSystemEntry {
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader() {
      const left = [...content];
      return { readEntries: (got: (part: FileSystemEntry[]) => void) => got(left.splice(0, 100)) };
    },
  } as unknown as FileSystemEntry;
}

const pathsOf = (chosen: ReturnType<typeof chosenBy>) =>
  chosen.map(({ file, folders }) => pathOf({ folders, name: file.name }));

Deno.test("chosen: a field for folders tells the path of each file", () => {
  const file = (webkitRelativePath: string) => {
    const name = webkitRelativePath.split("/").at(-1)!;
    return Object.defineProperty(new File(["x"], name), "webkitRelativePath", {
      value: webkitRelativePath,
    });
  };
  const chosen = chosenBy([file("Harbour/tides.txt"), file("Harbour/2026/may.txt")]);
  assert.deepEqual(pathsOf(chosen), ["Harbour/tides.txt", "Harbour/2026/may.txt"]);
  assert.deepEqual(chosenBy([new File(["x"], "alone.txt")])[0]!.folders, []);
});

Deno.test("chosen: dropped folders are read at every depth, all parts of them", async () => {
  const many = Array.from({ length: 250 }, (_, n) => fileEntry(`${n}.txt`));
  const { chosen, unread } = await chosenIn([
    fileEntry("log.txt"),
    folderEntry("Harbour", [folderEntry("2026", many), fileEntry("lost.txt", false)]),
    folderEntry("Empty", []),
  ]);
  assert.equal(chosen.length, 251);
  assert.deepEqual(pathsOf(chosen).slice(0, 2), ["log.txt", "Harbour/2026/0.txt"]);
  assert.deepEqual(unread, ["Harbour/lost.txt"], "one that fails leaves the others");
});

Deno.test("chosen: of more than are taken no more than one is read", async () => {
  const many = Array.from({ length: MOST_FILES + 50 }, (_, n) => fileEntry(`${n}.txt`));
  const { chosen } = await chosenIn([folderEntry("A", many), folderEntry("B", many)]);
  assert.equal(chosen.length, MOST_FILES + 1);
});

interface Kept {
  readonly id: string;
  readonly name: string;
  readonly children: Kept[];
}

const folder = (id: string, name: string, children: Kept[] = []): Kept => ({ id, name, children });

/** A server with folders: the id of a new one is its path. */
function folderServer(tree: Kept[] = []) {
  const made: string[] = [];
  const state = { lists: 0, refuse: (_: string): ApiError | null => null };
  const everyOne = (among: Kept[]): Kept[] =>
    among.flatMap((one) => [one, ...everyOne(one.children)]);
  const childrenOf = (id: string | null) =>
    id === null ? tree : everyOne(tree).find((one) => one.id === id)?.children;
  const maker = createFolderMaker({
    list: () => Promise.resolve((state.lists++, tree as unknown as Folder[])),
    create(name, parentId) {
      const refusal = state.refuse(name);
      if (refusal) return Promise.reject(refusal);
      const id = `${parentId ?? ""}/${name}`;
      const beside = childrenOf(parentId);
      if (beside?.some((one) => one.id === id)) return Promise.reject(new ApiError("", 409, ""));
      beside?.push(folder(id, name));
      made.push(id);
      return Promise.resolve(id);
    },
  });
  return { maker, made, state, tree };
}

Deno.test("folders: the missing ones are made, each once, however many files ask at a time", async () => {
  const { maker, made, state } = folderServer();
  const ids = await Promise.all([
    maker.at(null, ["Harbour", "2026"]),
    maker.at(null, ["Harbour", "2025"]),
    maker.at(null, ["Harbour"]),
    maker.at(null, ["Harbour", "2026"]),
  ]);
  assert.deepEqual(ids, ["/Harbour/2026", "/Harbour/2025", "/Harbour", "/Harbour/2026"]);
  assert.deepEqual(made, ["/Harbour", "/Harbour/2026", "/Harbour/2025"]);
  assert.equal(state.lists, 1, "in what is new nothing is looked for");
});

Deno.test("folders: those that are there are used, by names that are one to the server", async () => {
  const tree = [folder("1", "Reports", [folder("2", "Café")])];
  const { maker, made } = folderServer(tree);
  assert.equal(await maker.at(null, ["reports", "cafe\u0301"]), "2");
  assert.equal(await maker.at("1", ["CAFÉ"]), "2", "below the folder that is open");
  assert.equal(await maker.at("1", ["New"]), "1/New");
  assert.deepEqual(made, ["1/New"]);
});

Deno.test("folders: one that somebody else makes meanwhile is used", async () => {
  const { maker, state, tree } = folderServer();
  state.refuse = (name) => {
    tree.push(folder("theirs", name));
    return new ApiError("there is one of this name", 409, "CONFLICT");
  };
  assert.equal(await maker.at(null, ["Harbour"]), "theirs");
});

Deno.test("uploads: a folder that cannot be made fails its files alone, and is tried again", async () => {
  const { maker, made, state } = folderServer([folder("here", "Here")]);
  state.refuse = (name) =>
    name === "bad" ? new ApiError("must not hold slashes", 400, "VALIDATION_ERROR") : null;
  const sent: Record<string, unknown> = {};
  const uploads = createUploads({
    send: (_, { name, folderId }) => Promise.resolve(void (sent[name!] = folderId)),
    find: () => Promise.resolve(null),
    folders: maker,
    onArrived: () => {},
  });
  const chosen = (name: string, ...folders: string[]) => ({ file: new File(["x"], name), folders });
  uploads.add([
    chosen("1", "bad"),
    chosen("2", "bad", "deeper"),
    chosen("3", "good"),
    chosen("4"),
    chosen("5", "good"),
  ], { folderId: "here" });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  await settle();
  const states = () => uploads.items.value.map(({ state }) => state);
  assert.deepEqual(states(), ["failed", "failed", "done", "done", "done"]);
  assert.deepEqual(sent, { 3: "here/good", 4: "here", 5: "here/good" });
  state.refuse = () => null;
  uploads.retry(uploads.items.value[1]!.id);
  await settle();
  assert.deepEqual(states(), ["failed", "done", "done", "done", "done"]);
  assert.deepEqual(made, ["here/good", "here/bad", "here/bad/deeper"]);
});
