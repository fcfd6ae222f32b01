// Counts the answers that stay open by intent: their connections are not idle, though no request comes on them.

export class Standing {
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns To be called once, when the answer has ended. */
  open(): () => void {
    this.#size++;
    return () => void this.#size--;
  }
}

/** The one of this process. */
export const standing = new Standing();
