// The pictures of users: square and small, at an address that nobody can guess and that each new picture changes.
import type { Settings } from "../../config/settings.ts";
import { existing } from "../../core/errors.ts";
import { type Avatar, avatars } from "../../models/avatars.ts";
import { type User, users } from "../../models/users.ts";
import type { Store, Transaction } from "../../storage/port.ts";
import { type FreshBlob, Ledger, removeBlobs } from "../content/contents.ts";
import { smallImage } from "./small_images.ts";

/** Pixels of a side, at most. */
const SIDE = 256;

type Made = Pick<Avatar, "sha256" | "size" | "mimeType"> & { readonly blob: FreshBlob };

/**
 * Stores the middle of an image, made small. Nothing refers to it yet.
 *
 * @throws {ApiError} UNSUPPORTED_MEDIA_TYPE, UNAVAILABLE: see `smallImage`.
 */
export async function storeAvatar(
  { blobs }: Pick<Store, "blobs">,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Made> {
  const small = await smallImage({
    bytes: () => Promise.resolve(bytes),
    size: SIDE,
    shape: "square",
  });
  const blob = await blobs.put(new Blob([small.image]).stream(), { maxBytes: Infinity });
  return { blob, sha256: blob.sha256, size: blob.size, mimeType: small.mimeType };
}

/** The plan's user, and the ids of the blobs that nothing refers to once it is committed. */
interface Planned {
  readonly user: User;
  readonly unused: readonly string[];
}

/** Plans that a user is shown with this picture, and that the one before ends. */
export async function planAvatar(
  tx: Transaction,
  settings: Settings,
  userId: string,
  { blob, ...made }: Made,
): Promise<Planned> {
  const [user, before] = await userWithAvatar(tx, userId);
  const ledger = new Ledger();
  ledger.keep(made);
  if (before) ledger.release(before);
  const key = crypto.getRandomValues(new Uint8Array(18)).toBase64({ alphabet: "base64url" });
  if (before) tx.update(avatars, before, { ...made, key });
  else tx.insert(avatars, { id: userId, userId, ...made, key });
  const shown = tx.update(users, user, { avatar: `${settings.basePath}${pathOf(key)}` });
  return { user: shown, unused: await ledger.write(tx, Infinity, blob) };
}

/** Plans that a user is shown without a picture. */
export async function planAvatarRemoval(tx: Transaction, userId: string): Promise<Planned> {
  const [user] = await userWithAvatar(tx, userId);
  const unused = await planAvatarEnd(tx, userId);
  return { user: user.avatar ? tx.update(users, user, { avatar: undefined }) : user, unused };
}

/** Plans that an uploaded picture ends, if there is one. @returns As `Planned.unused`. */
export async function planAvatarEnd(tx: Transaction, userId: string): Promise<readonly string[]> {
  const avatar = await tx.from(avatars).get(userId);
  if (!avatar) return [];
  tx.remove(avatars, avatar);
  const ledger = new Ledger();
  ledger.release(avatar);
  return await ledger.write(tx, Infinity);
}

async function userWithAvatar(tx: Transaction, userId: string): Promise<[User, Avatar | null]> {
  return [
    existing(await tx.from(users).get(userId), "user"),
    await tx.from(avatars).get(userId),
  ];
}

/**
 * The picture at an address.
 *
 * @throws {ApiError} NOT_FOUND where there is none, or its user is not shown with it any more.
 */
export async function avatarAt(store: Store, key: string): Promise<Avatar> {
  const avatar = existing(await store.from(avatars).findBy("key", key), "avatar");
  existing(await isShown(store, avatar) ? avatar : null, "avatar");
  return avatar;
}

async function isShown(store: Store, { id, key }: Avatar): Promise<boolean> {
  return (await store.from(users).get(id))?.avatar?.endsWith(pathOf(key)) ?? false;
}

function pathOf(key: string): string {
  return `/avatars/${key}`;
}

/** Removes pictures that their users are not shown with any more, because the profile names another address. */
export async function sweepAvatars(store: Store): Promise<void> {
  for await (const { id } of store.from(avatars).scan()) {
    const unused = await store.transact({ userId: null }, async (tx) => {
      const [user, avatar] = [await tx.from(users).get(id), await tx.from(avatars).get(id)];
      const shown = avatar === null || user?.avatar?.endsWith(pathOf(avatar.key));
      return shown ? [] : await planAvatarEnd(tx, id);
    });
    await removeBlobs(store.blobs, unused);
  }
}
