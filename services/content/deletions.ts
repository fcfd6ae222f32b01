// Deletions of any size: begun in one commit, and done in pieces after it, which a crash does not stop.
import { type Deletion, deletions } from "../../models/deletions.ts";
import { type Folder, folders } from "../../models/folders.ts";
import { type Team, teams } from "../../models/teams.ts";
import { type User, users } from "../../models/users.ts";
import { everyMatch } from "../../storage/every_match.ts";
import { Piece } from "../../storage/pieces.ts";
import type { Actor, Store, Transaction } from "../../storage/port.ts";
import type { Principal } from "../access/access.ts";
import { type Heirs, heirsOf } from "../access/heirs.ts";
import { planTeamPiece } from "../access/teams.ts";
import { planUserPiece, type Terms } from "./cascades.ts";
import { Ledger, removeBlobs } from "./contents.ts";
import { planAnonymity, planErasurePiece } from "./erasures.ts";
import { planFilesDeletion } from "./file_plans.ts";
import { apart, planEmptyFolderEnd, planFolderPiece } from "./folder_plans.ts";
import { delay } from "../../core/delay.ts";
import { SECOND } from "../../core/units.ts";

/** Milliseconds after its last piece until a deletion counts as left behind by a process that ended. */
const ABANDONED = 5 * SECOND;

/** What a planned deletion leaves to do once it is committed. */
export interface Begun {
  /** Whether pieces are left: call `finishDeletion`. */
  readonly unfinished: boolean;
  /** Ids of the blobs that nothing refers to any more: remove them. */
  readonly unused: readonly string[];
}

const HEIRS = ["documents", "files", "calendar", "teams", "rest"] as const;

/**
 * Plans that the deletion of a user begins: the account is inactive and signed out from then on, and `finishDeletion` does
 * the rest, in a later commit. What is written for the user at the same time is there by then, or is refused.
 *
 * @param principal Who deletes; see `heirsOf` for who gets what the user owned.
 * @throws {ApiError} CONFLICT when there is nobody to take over what the user owned.
 */
export async function planUserDeletion(
  tx: Transaction,
  user: User,
  principal: Principal,
): Promise<void> {
  if (await tx.from(deletions).get(user.id)) return;
  const heirs = await heirsOf(tx, principal, user.id);
  await replaceHeir(tx, user.id, heirs);
  tx.update(users, user, { status: "inactive" });
  const actorId = principal.user.id;
  tx.insert(deletions, { id: user.id, kind: "user", actorId, ...heirs });
}

/**
 * Plans that a user is deleted and their data erased: the account is nobody's at once, and `finishDeletion` does the
 * rest. One that is being deleted already is erased too.
 *
 * @param actor Who erases, for the audit log; `principal` as above.
 * @throws {ApiError} CONFLICT, as above.
 */
export async function planUserErasure(
  tx: Transaction,
  user: User,
  { principal, actor }: { principal: Principal; actor: Actor },
): Promise<void> {
  const begun = await tx.from(deletions).get(user.id);
  if (begun?.erase) return;
  await planAnonymity(tx, user, actor);
  if (begun) {
    tx.update(deletions, begun, { erase: true });
  } else {
    const heirs = await heirsOf(tx, principal, user.id);
    await replaceHeir(tx, user.id, heirs);
    const actorId = principal.user.id;
    tx.insert(deletions, { id: user.id, kind: "user", actorId, ...heirs, erase: true });
  }
}

/** Where this user is the heir of others whose deletion is under way, the user's own heirs take that place. */
async function replaceHeir(tx: Transaction, userId: string, heirs: Heirs): Promise<void> {
  for (const deletion of await everyMatch(tx, deletions, {})) {
    const inherited = HEIRS.filter((field) => deletion[field] === userId);
    if (inherited.length === 0) continue;
    tx.update(
      deletions,
      deletion,
      Object.fromEntries(inherited.map((field) => [field, heirs[field]])),
    );
  }
}

/** Plans that the deletion of a team begins: nobody sees it any more, see doomed.ts, and `finishDeletion` does the rest. */
export async function planTeamDeletion(
  tx: Transaction,
  team: Team,
  actorId: string,
): Promise<void> {
  if (await tx.from(deletions).get(team.id)) return;
  tx.insert(deletions, { id: team.id, kind: "team", actorId });
  // Whoever puts something into it at the same time has read it, and then has to look again.
  tx.update(teams, team, {});
}

/**
 * Plans the deletion of a folder with all that is in it. Where that is too much for one commit, this plans the first piece:
 * nobody sees the folder any more, and its name is free. Whoever puts something into it at the same time writes the folder.
 *
 * @param recursive Otherwise it must be empty.
 * @throws {ApiError} CONFLICT when it is not.
 */
export async function planFolderDeletion(
  tx: Transaction,
  folder: Folder,
  actorId: string,
  recursive: boolean,
): Promise<Begun> {
  const { id } = folder;
  if (!recursive) {
    await planEmptyFolderEnd(tx, folder);
    return { unfinished: false, unused: [] };
  }
  if (await tx.from(deletions).get(id)) return { unfinished: true, unused: [] };
  const { whole, unused } = await kinds.folder(tx, { id });
  if (!whole) {
    tx.insert(deletions, { id, kind: "folder", actorId });
    tx.update(folders, folder, apart(id));
  }
  return { unfinished: !whole, unused };
}

/** The outcome of one piece: whether it was the last, and the ids of the blobs that nothing refers to any more. */
interface Done {
  readonly whole: boolean;
  readonly unused: readonly string[];
  /** Of an erasure; see `Deletion`. */
  readonly clearedTo?: string;
}

type Kind = (
  tx: Transaction,
  deletion: Pick<Deletion, "id"> & Partial<Terms> & Pick<Deletion, "clearedTo">,
) => Promise<Done>;

/** Plans the next piece of a deletion, by kind; the last piece removes the user, team or folder itself. */
const kinds: Readonly<Record<Deletion["kind"], Kind>> = {
  async user(tx, deletion) {
    const piece = new Piece();
    // Read by id: an heir who is deleted meanwhile makes the plan run again.
    await tx.from(users).getMany(HEIRS.flatMap((field) => deletion[field] ?? []));
    const unused = await planUserPiece(tx, piece, deletion.id, deletion as Terms);
    const clearedTo = deletion.erase ? await planErasurePiece(tx, piece, deletion) : undefined;
    const user = await tx.from(users).get(deletion.id);
    if (piece.whole && user) tx.remove(users, user);
    return { whole: piece.whole, unused, clearedTo };
  },
  async team(tx, { id }) {
    const piece = new Piece();
    await planTeamPiece(tx, piece, id);
    const team = await tx.from(teams).get(id);
    if (piece.whole && team) tx.remove(teams, team);
    return { whole: piece.whole, unused: [] };
  },
  async folder(tx, { id }) {
    const folder = await tx.from(folders).get(id);
    if (!folder) return { whole: true, unused: [] };
    const ledger = new Ledger();
    const whole = await planFolderPiece(tx, new Piece(), folder, {
      files: (tx, going) => planFilesDeletion(tx, ledger, going),
    });
    return { whole, unused: await ledger.write(tx, Infinity) };
  },
};

/** Does the pieces that are left of a deletion. Others write in between. */
export async function finishDeletion(store: Store, id: string): Promise<void> {
  const deletion = await store.from(deletions).get(id);
  if (!deletion) return;
  const actor = { userId: deletion.actorId };
  for (let left = true; left;) {
    const unused = await store.transact(actor, async (tx) => {
      const current = await tx.from(deletions).get(id);
      left = current !== null;
      if (!current) return [];
      const { whole, unused, clearedTo } = await kinds[current.kind](tx, current);
      if (whole) tx.remove(deletions, current);
      // Whatever it holds, that it is written tells other processes that this one is at it.
      else tx.update(deletions, current, { clearedTo });
      return unused;
    });
    await removeBlobs(store.blobs, unused);
    // Lets requests that have waited go first.
    await delay();
  }
}

/** Finishes deletions that were left unfinished by processes that ended. */
export async function finishDeletions(store: Store, now: Date): Promise<void> {
  const before = new Date(now.getTime() - ABANDONED).toISOString();
  for (const { id } of await everyMatch(store, deletions, { updatedAt: { lt: before } })) {
    await finishDeletion(store, id);
  }
}
