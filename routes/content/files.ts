// Files: the routes that every variant with files has.
import { wordsFor } from "../../http/words.ts";
import { z } from "zod";
import { assertMatch } from "../../http/conditional.ts";
import { sendFile } from "../../http/download.ts";
import { type Call, endpoint } from "../../http/endpoint.ts";
import { folderIn, personIn } from "../../http/references.ts";
import { invalid, lacking } from "../../core/errors.ts";
import {
  digestOf,
  receiveUpload,
  referringTo,
  storeContent,
  type Upload,
} from "../../http/upload.ts";
import {
  contents,
  type File,
  fileCreation,
  fileListQuery,
  files,
  fileUpdate,
  MAX_INLINE,
  publicFile,
  uploadFields,
} from "../../models/files.ts";
import { safeFileName } from "../../models/names.ts";
import { deleted, patchOf } from "../../models/requests.ts";
import { permanence } from "../../models/trash.ts";
import { permits, type Principal } from "../../services/access/access.ts";
import { Ledger, removeBlobs } from "../../services/content/contents.ts";
import { fileQuotaFor } from "../../services/content/storage_usage.ts";
import { planFile, planFilesDeletion, planVersion } from "../../services/content/file_plans.ts";
import {
  fileEtag,
  fileFor,
  fileViews,
  shownFile,
  visibleFiles,
} from "../../services/content/files.ts";
import { planDestination } from "../../services/content/folder_plans.ts";
import { disposalOf, planFilesTrash } from "../../services/content/trash.ts";
import { listAnswer, listing } from "../../http/lists.ts";
import type { Transaction } from "../../storage/port.ts";
import { KIB, MIB } from "../../core/units.ts";

const tag = "Files";

const list = endpoint({
  operationId: "listFiles",
  method: "get",
  path: "/files",
  tag,
  summary: "List files",
  description: "One's own, those shared with the caller, and for who holds `files:*` everyone's. " +
    "`folderId=root` lists what is in no folder, and what others share; without `folderId` folders do not matter.",
  access: "files:view",
  query: fileListQuery,
  list: true,
  data: z.array(publicFile),
  include: { owner: personIn("ownerId"), folder: folderIn("folderId") },
  async handle(call) {
    const { now } = call;
    const paging = listing<File>(call.query);
    const page = await call.store.from(files).list({
      ...paging,
      where: await visibleFiles(call.store, call.principal, now, call.query.where),
    });
    return listAnswer(paging, page, await fileViews(call, page.rows));
  },
});

const details = endpoint({
  operationId: "getFile",
  method: "get",
  path: "/files/{id}",
  tag,
  summary: "File details",
  access: "files:view",
  data: publicFile,
  include: { owner: personIn("ownerId"), folder: folderIn("folderId") },
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { now } = call;
    const file = await fileFor(call.store, call.principal, call.params.id, "read", now);
    return await shownFile(call, file);
  },
});

const upload = endpoint({
  operationId: "uploadFile",
  method: "post",
  path: "/files/upload",
  tag,
  summary: "Upload a file",
  description:
    "Form data with the part `file`. Further fields, in the form or in the query: `name` in place of the " +
    "file's own, `folderId` where it goes, and `fileId` of an existing file, of which this becomes a new version " +
    "(that needs `files:update`, a new file needs `files:create`).",
  access: ["files:create", "files:update"],
  upload: true,
  created: true,
  query: uploadFields,
  data: publicFile,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const received = await receiveUpload(call.context.req.raw, call.services);
    call.identify(digestOf(received));
    return await take(call, received, () => uploadOptions(call.query, received));
  },
});

const create = endpoint({
  method: "post",
  path: "/files",
  operationId: "createFile",
  tag,
  summary: "Create a file from JSON",
  description:
    "For clients that send nothing but JSON: `content` is the file's bytes in base64, or a data URL. Up to " +
    `${MAX_INLINE / KIB} KiB; larger files, and forms, go to \`/files/upload\`.`,
  access: "files:create",
  created: true,
  body: fileCreation,
  bodyLimit: MIB,
  data: publicFile,
  errors: ["NOT_FOUND"],
  async handle(call) {
    const { name, folderId, content } = call.body;
    const received = await storeContent({ name, ...content }, call.services);
    return await take(call, received, () => ({ folderId, fileId: undefined }));
  },
});

/**
 * Makes a file of what was received, or a new version of one.
 *
 * @param fieldsOf Tells what is asked for beside the bytes; what it throws leaves none of them behind.
 */
async function take(
  call: Pick<Call<"files:create">, "services" | "store" | "principal" | "transact" | "repeated">,
  received: Upload,
  fieldsOf: () => UploadFields,
) {
  const { quota } = call.services.settings.uploads;
  const { file, unused } = await referringTo(received, call.store, () => {
    const fields = fieldsOf();
    return call.transact(async (tx) => {
      const ledger = new Ledger();
      const file = fields.fileId === undefined
        ? await planUpload(tx, ledger, call.principal, received, fields)
        : await planUploadedVersion(tx, ledger, call.principal, received, fields.fileId);
      const allowed = await fileQuotaFor(tx, call.principal, file.ownerId, quota);
      return { file, unused: await ledger.write(tx, allowed, received.blob) };
    });
  });
  await removeBlobs(call.store.blobs, call.repeated ? [...unused, received.blob.id] : unused);
  return { ...await shownFile(call, file), message: "The file is stored" };
}

type UploadFields = z.output<typeof uploadFields>;

function uploadOptions(query: UploadFields, { fields }: Upload): UploadFields {
  const result = uploadFields.safeParse(fields, { error: wordsFor });
  if (result.success) return { ...query, ...patchOf(result.data), ...folderOf(query, result.data) };
  const { path, message } = result.error.issues[0]!;
  throw invalid(path.join("."), message);
}

/** The folder asked for. Null means the root and must be kept, which `patchOf` would turn into undefined. */
function folderOf(query: UploadFields, form: UploadFields): Pick<UploadFields, "folderId"> {
  return { folderId: form.folderId === undefined ? query.folderId : form.folderId };
}

async function planUpload(
  tx: Transaction,
  ledger: Ledger,
  principal: Principal,
  { blob, mimeType, name }: Upload,
  fields: UploadFields,
): Promise<File> {
  if (!permits(principal.permissions, "files:create")) throw lacking(["files:create"]);
  const ownerId = principal.user.id;
  const folder = await planDestination(tx, principal, ownerId, { folderId: fields.folderId });
  return planFile(tx, ledger, { ...blob, mimeType }, {
    name: fields.name ? safeFileName(fields.name) : name,
    folderId: folder?.id,
    ownerId,
    createdBy: ownerId,
  });
}

async function planUploadedVersion(
  tx: Transaction,
  ledger: Ledger,
  principal: Principal,
  { blob, mimeType }: Upload,
  fileId: string,
): Promise<File> {
  if (!permits(principal.permissions, "files:update")) throw lacking(["files:update"]);
  const file = await fileFor(tx, principal, fileId, "edit", tx.now);
  return await planVersion(tx, ledger, file, { ...blob, mimeType }, principal.user.id);
}

const download = endpoint({
  operationId: "downloadFile",
  method: "get",
  path: "/files/{id}/download",
  tag,
  summary: "Download a file",
  description: "Takes a `Range` of bytes, and `If-None-Match` with the SHA-256 as entity tag.",
  access: "files:view",
  raw: "application/octet-stream",
  errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
  async handle(call) {
    const { now } = call;
    const file = await fileFor(call.store, call.principal, call.params.id, "read", now);
    return await sendContent(call, file);
  },
});

/**
 * Sends the bytes of a file or of one of its versions.
 *
 * @param options.inline See `Download`. @default false
 */
export function sendContent(
  call: Pick<Call, "store" | "context">,
  { name, mimeType, size, sha256 }: Pick<File, "name" | "mimeType" | "size" | "sha256">,
  { inline = false }: { readonly inline?: boolean } = {},
): Promise<Response> {
  return sendFile(call.context, {
    name,
    mimeType,
    size,
    sha256,
    inline,
    async open(range) {
      const content = await call.store.from(contents).get(sha256);
      return content ? await call.store.blobs.get(content.blobId, range) : null;
    },
  });
}

export const updateFile = endpoint({
  operationId: "updateFile",
  method: "put",
  path: "/files/{id}",
  tag,
  summary: "Change a file's name, mark or folder",
  description: "Takes only the changed fields. Only the owner moves it to another folder.",
  access: "files:update",
  body: fileUpdate,
  bodyLimit: 64 * KIB,
  data: publicFile,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { folderId, ...changes } = call.body;
    const file = await call.transact(async (tx) => {
      const asked = folderId === undefined ? "edit" : "owner";
      const file = await fileFor(tx, call.principal, call.params.id, asked, tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      if (folderId === undefined) return tx.update(files, file, patchOf(changes));
      const folder = await planDestination(tx, call.principal, file.ownerId, { folderId });
      return tx.update(files, file, { ...patchOf(changes), folderId: folder?.id });
    });
    return { ...await shownFile(call, file), message: "The file is saved" };
  },
});

const remove = endpoint({
  operationId: "deleteFile",
  method: "delete",
  path: "/files/{id}",
  tag,
  summary: "Delete a file",
  description:
    "It goes into the trash for TRASH_DAYS (30), with all its versions and shares; `permanent=true` ends it at once. " +
    "Only for its owner.",
  access: "files:delete",
  query: permanence,
  data: deleted,
  errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
  async handle(call) {
    const { id } = call.params;
    const { quota } = call.services.settings.uploads;
    const unused = await call.transact(async (tx) => {
      const file = await fileFor(tx, call.principal, id, "owner", tx.now);
      assertMatch(call, await fileEtag(tx, call.principal, file));
      const disposal = disposalOf(call.principal, call.services.settings, call.query.permanent);
      if (disposal) await planFilesTrash(tx, [file], disposal);
      if (disposal) return [];
      const ledger = new Ledger();
      await planFilesDeletion(tx, ledger, [file]);
      return await ledger.write(tx, quota);
    });
    await removeBlobs(call.store.blobs, unused);
    return { data: { id }, message: "The file is deleted" };
  },
});

export const fileRoutes = [list, details, upload, create, download, updateFile, remove];
