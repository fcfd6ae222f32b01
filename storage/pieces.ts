// Work of any size in pieces: counts how much one commit may still change, so that others can write between commits.
import type { CollectionDeclaration, Entity, Transaction, Where } from "./port.ts";

/** The most records in one piece: a commit of so many takes some milliseconds on every engine. */
export const PIECE = 100;

export class Piece {
  #left = PIECE;
  #whole = true;

  /** True as long as nothing had to be left for another piece: then the work is complete. */
  get whole(): boolean {
    return this.#whole;
  }

  /** True when the piece has no room for another record. */
  get full(): boolean {
    return this.#left === 0;
  }

  /** Counts one record. @returns False when it has to be left for another piece. */
  takeOne(): boolean {
    if (this.#left > 0) this.#left--;
    else this.#whole = false;
    return this.#whole;
  }

  /** Leaves the rest for another piece. */
  leaveRest(): void {
    this.#whole = false;
  }

  /** The oldest records that match, as many as there is room for. */
  async take<T extends Entity>(
    tx: Pick<Transaction, "from">,
    collection: CollectionDeclaration<T>,
    where: Where<T>,
  ): Promise<readonly T[]> {
    return (await this.takeAfter(tx, collection, where)).rows;
  }

  /**
   * `take`, for records that match still when they have been dealt with: only those after a cursor.
   *
   * @param cursor Of the piece before. @default from the first
   * @returns With the cursor for the next piece.
   */
  async takeAfter<T extends Entity>(
    tx: Pick<Transaction, "from">,
    collection: CollectionDeclaration<T>,
    where: Where<T>,
    cursor?: string,
  ): Promise<{ readonly rows: readonly T[]; readonly cursor: string | undefined }> {
    if (this.full) {
      this.#whole = false;
      return { rows: [], cursor };
    }
    const limit = this.#left;
    const page = await tx.from(collection).list({ where, sort: "createdAt", limit, cursor });
    if (page.nextCursor !== null) this.#whole = false;
    this.#left -= page.rows.length;
    return { rows: page.rows, cursor: page.nextCursor ?? cursor };
  }
}
