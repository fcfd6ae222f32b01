// The pictures of users.
import { endpoint } from "../../http/endpoint.ts";
import { receiveUpload, referringTo } from "../../http/upload.ts";
import { publicUser } from "../../models/users.ts";
import { removeBlobs } from "../../services/content/contents.ts";
import {
  avatarAt,
  planAvatar,
  planAvatarRemoval,
  storeAvatar,
} from "../../services/images/avatars.ts";
import { THUMBNAIL_SOURCES } from "../../services/images/small_images.ts";
import { MIB } from "../../core/units.ts";
import { sendContent } from "../content/files.ts";
import { shown } from "./users.ts";

const tag = "Users";

/** Bytes of an upload, at most. */
const MAX_BYTES = 10 * MIB;

const put = endpoint({
  operationId: "uploadAvatar",
  method: "put",
  path: "/users/me/avatar",
  tag,
  summary: "Upload one's own picture",
  description:
    "Form data with the part `file`: JPEG, PNG, WebP or GIF, up to 10 MiB and 25 megapixels. Its middle is kept, 256 " +
    "pixels square at most and upright, and nothing else of it. The profile's `avatar` is then its address, for `<img>`.",
  access: "authenticated",
  ownSession: true,
  upload: true,
  data: publicUser,
  async handle(call) {
    const { store, services } = call;
    const { settings } = services;
    const maxBytes = Math.min(MAX_BYTES, settings.uploads.maxBytes);
    const uploads = { ...settings.uploads, maxBytes, types: [...THUMBNAIL_SOURCES] };
    const received = await receiveUpload(call.context.req.raw, {
      store,
      settings: { ...settings, uploads },
    });
    const made = await smallOf(store, received.blob.id);
    const { user, unused } = await referringTo(
      { ...received, blob: made.blob },
      store,
      () => call.transact((tx) => planAvatar(tx, settings, call.principal.user.id, made)),
    );
    await removeBlobs(store.blobs, unused);
    return { ...await shown(store, user), message: "Your picture is saved" };
  },
});

/** Of an upload, which is not kept. */
async function smallOf(store: Parameters<typeof storeAvatar>[0], blobId: string) {
  try {
    const stream = (await store.blobs.get(blobId))!;
    return await storeAvatar(store, await new Response(stream).bytes());
  } finally {
    await removeBlobs(store.blobs, [blobId]);
  }
}

const remove = endpoint({
  operationId: "deleteAvatar",
  method: "delete",
  path: "/users/me/avatar",
  tag,
  summary: "Remove one's own picture",
  access: "authenticated",
  ownSession: true,
  data: publicUser,
  async handle(call) {
    const { user, unused } = await call.transact((tx) =>
      planAvatarRemoval(tx, call.principal.user.id)
    );
    await removeBlobs(call.store.blobs, unused);
    return { ...await shown(call.store, user), message: "Your picture is removed" };
  },
});

const open = endpoint({
  operationId: "getAvatar",
  method: "get",
  path: "/avatars/{key}",
  tag,
  summary: "The picture of a user",
  description:
    "By the address that the user's `avatar` gives, which nobody can guess; it needs no token, so that `<img>` loads " +
    "it. Another picture has another address, and the one before ends.",
  access: "public",
  raw: "image/*",
  errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
  async handle(call) {
    const avatar = await avatarAt(call.store, call.params.key);
    return await sendContent(call, { ...avatar, name: "avatar" }, { inline: true });
  },
});

export const avatarRoutes = [put, remove, open];
