// What one may do with a file or folder. The server has the same rules, and decides.
import type { File as FileShown } from "../../../client/mod.ts";
import { serves } from "../../state/place.ts";
import { can, user as self } from "../../state/session.ts";

type Owned = Pick<FileShown, "ownerId">;

/** Whether one is its owner, or manages everyone's. */
export function owns({ ownerId }: Owned): boolean {
  return ownerId === self.value?.id || can("files:*");
}

/** Whether one may try to change name and content: others may have opened it for that. */
export function mayEdit(): boolean {
  return can("files:update");
}

/** Whether one may move it. */
export function mayPlace(file: Owned): boolean {
  return can("files:update") && owns(file);
}

export function mayShare(file: Owned): boolean {
  return serves("fileShares") && can("files:update") && owns(file);
}

export function mayDelete(file: Owned): boolean {
  return can("files:delete") && owns(file);
}
