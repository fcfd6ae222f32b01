// Proves by the chain that nothing in the audit log was changed, removed or put between, or names what was.
import { MINUTE } from "../../core/units.ts";
import {
  type AuditCheckpoint,
  auditCheckpoints,
  type AuditLink,
  auditLinks,
  auditLog,
  auditPositions,
  type AuditRecord,
  CHAIN,
  CUT,
  HEAD,
} from "../../models/audit.ts";
import { users } from "../../models/users.ts";
import type { Store } from "../../storage/port.ts";
import { hashOfLink, type Notary, type Place, START } from "./chain.ts";
import { digestOf, isRestamped } from "./entries.ts";
import { Erasures } from "./erased.ts";
import { entriesUpTo } from "./linker.ts";

/** Links read at a time. */
const PAGE = 20;
/** Milliseconds within which a server puts an entry into the chain, with much to spare. */
const WINDOW = MINUTE;

export interface AuditProof {
  /** Of the log, and how many of them wait to be put into the chain. */
  readonly entries: number;
  readonly waiting: number;
  readonly links: number;
  /** Entries that were found in the log, not in the journal: older than the chain, or from another store. */
  readonly late: number;
  /** The newest link, and when it was signed; null where there is no chain yet. */
  readonly head: Place & { readonly at: string } | null;
  /** Entries from before then were removed for their age. */
  readonly before: string | null;
  /** What is wrong, in the order of the chain. Empty: nothing is. */
  readonly problems: readonly string[];
  /** The hash of a link; undefined where there is none of that number any more, or yet. */
  hashOf(seq: number): string | undefined;
}

/** What the journal tells of an entry: where, and when it was written. */
interface Told {
  readonly position: string;
  readonly at: string;
}

interface Linked {
  readonly seq: number;
  readonly digest: string;
  readonly createdAt: string;
}

/** Takes some 300 bytes of memory for each entry. */
export async function proveAudit(store: Store, notary: Notary): Promise<AuditProof> {
  return await new Proof(store, notary).run();
}

class Proof {
  readonly #problems: { readonly seq: number; readonly text: string }[] = [];
  readonly #linked = new Map<string, Linked>();
  /** Entries that a link names and does not hold. */
  readonly #lost = new Set<string>();
  /** Hashes of the links that are there, by their numbers. */
  readonly #hashes = new Map<number, string>();
  readonly #erasures = new Erasures();
  #late = 0;
  #links = 0;
  #entries = 0;

  constructor(readonly store: Store, readonly notary: Notary) {}

  async run(): Promise<AuditProof> {
    const head = await this.#word(HEAD);
    const cut = await this.#word(CUT);
    const end = await this.#walkLinks(cut ?? START);
    this.#compareHead(head, end);
    await this.#compareKept(cut);
    // Before the log is read: what a server that runs writes meanwhile is in the log alone.
    const journal = await this.#readJournal();
    const missing = new Map(journal);
    const strangers = await this.#walkEntries(missing);
    this.#reportRemoved(cut?.before ?? null, missing);
    for (const problem of this.#erasures.unexplained()) this.#found(Infinity, problem);
    const waiting = await this.#judge(strangers, head, journal);
    if (this.#entries === 0 && head === null) await this.#reportEmptied();
    return {
      entries: this.#entries,
      waiting,
      links: this.#links,
      late: this.#late,
      head: head && { seq: head.seq, hash: head.hash, at: head.at },
      before: cut?.before ?? null,
      problems: this.#problems.toSorted((a, b) => a.seq - b.seq).map(({ text }) => text),
      hashOf: (seq) => this.#hashes.get(seq),
    };
  }

  #found(seq: number, text: string): void {
    this.#problems.push({ seq, text });
  }

  async #word(id: typeof HEAD | typeof CUT): Promise<AuditCheckpoint | null> {
    const word = await this.store.from(auditCheckpoints).get(id);
    if (word === null) return null;
    if (word.kind === id && this.notary.isSigned(word)) return word;
    const name = id === HEAD ? "The newest checkpoint" : "The checkpoint of what was removed";
    this.#found(0, `${name} is not signed by this server's key: it was changed, or AUDIT_KEY was`);
    return id === HEAD ? word : null;
  }

  /** @returns The last link that follows from those before. */
  async #walkLinks(start: Place): Promise<Place> {
    let place = start;
    let cursor: string | undefined;
    const where = { seq: { gt: start.seq } };
    do {
      const page = await this.store.from(auditLinks).list({
        where,
        sort: "seq",
        limit: PAGE,
        cursor,
      });
      for (const link of page.rows) {
        this.#checkLink(link, place);
        place = link;
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    return place;
  }

  #checkLink(link: AuditLink, before: Place): void {
    const { seq, previous, hash, note } = link;
    this.#links++;
    this.#hashes.set(seq, hash);
    if (seq !== before.seq + 1) {
      this.#found(before.seq + 1, `Link ${before.seq + 1} was removed: link ${seq} comes next`);
    } else if (previous !== before.hash) {
      this.#found(seq, `Link ${seq} does not follow from the one before: one of them was changed`);
    }
    if (hashOfLink(link) !== hash) this.#found(seq, `Link ${seq} was changed`);
    if (note === "break") {
      this.#found(
        seq,
        `Link ${seq} goes on from links that were not as this server had signed them`,
      );
    }
    for (const line of link.entries) this.#take(line, seq, note === "late");
  }

  #take(line: string, seq: number, isLate: boolean): void {
    const [id = "", createdAt, digest] = line.split(" ");
    if (createdAt === undefined || digest === undefined) {
      this.#lost.add(id);
      return this.#found(seq, `Entry ${id} (link ${seq}) was removed before it was linked`);
    }
    // One that is found late may have come by the journal too.
    const other = this.#linked.get(id);
    if (other && other.digest !== digest) {
      this.#found(seq, `Entry ${id} (link ${seq}) was changed since link ${other.seq}`);
    }
    if (isLate && !other) this.#late++;
    if (!other) this.#linked.set(id, { seq, digest, createdAt });
  }

  #compareHead(head: Place | null, end: Place): void {
    if (head === null) {
      if (end.seq > 0) this.#found(end.seq, `Nobody has signed link ${end.seq}, the newest`);
    } else if (head.seq > end.seq) {
      this.#found(end.seq + 1, `Link ${end.seq + 1} was removed: link ${head.seq} is the newest`);
    } else if (head.seq < end.seq || head.hash !== end.hash) {
      this.#found(head.seq, `Link ${head.seq} is not the one that was signed as the newest`);
    }
  }

  async #compareKept(cut: Place | null): Promise<void> {
    for await (const word of this.store.from(auditCheckpoints).scan()) {
      if (word.kind !== "kept" || word.seq <= (cut?.seq ?? 0)) continue;
      const { seq, hash, at } = word;
      if (!this.notary.isSigned(word)) {
        this.#found(seq, `The checkpoint of ${at} is not signed by this server's key`);
      } else if (this.#hashes.get(seq) !== hash) {
        this.#found(seq, `Link ${seq} is not the one that was signed at ${at}`);
      }
    }
  }

  /**
   * @param expected From which those are taken that are there.
   * @returns Entries that no link holds.
   */
  async #walkEntries(expected: Map<string, Told>): Promise<ReadonlyMap<string, AuditRecord>> {
    const strangers = new Map<string, AuditRecord>();
    for await (const entry of this.store.from(auditLog).scan()) {
      this.#entries++;
      this.#erasures.take(entry);
      const linked = this.#linked.get(entry.id);
      if (!linked) strangers.set(entry.id, entry);
      else if (digestOf(entry) !== linked.digest || isRestamped(entry)) {
        this.#found(linked.seq, `Entry ${nameOf(entry)} (link ${linked.seq}) was changed`);
      }
      this.#linked.delete(entry.id);
      expected.delete(entry.id);
    }
    return strangers;
  }

  /** @param told Entries that the journal tells of, and that are not in the log. */
  #reportRemoved(before: string | null, told: ReadonlyMap<string, Told>): void {
    for (const [id, { seq, createdAt }] of this.#linked) {
      if (before !== null && createdAt < before) continue;
      this.#found(seq, `Entry ${id} of ${createdAt} (link ${seq}) was removed`);
    }
    // The time of an entry is a little before that of its commit.
    const since = before === null ? -Infinity : Date.parse(before) + WINDOW;
    for (const [id, { at }] of told) {
      if (this.#linked.has(id) || this.#lost.has(id) || Date.parse(at) < since) continue;
      this.#found(Infinity, `Entry ${id} of ${at} was removed, and no link holds it`);
    }
  }

  /** Whoever is in the store has an entry, and what goes for its age leaves the chain's head. */
  async #reportEmptied(): Promise<void> {
    if (await this.store.from(users).count() === 0) return;
    this.#found(0, "The audit log is empty, and its chain is gone, in a store with users");
  }

  /**
   * Of entries outside of the chain, those may stand that the journal tells of, unless a server has linked others since.
   *
   * @returns How many wait.
   */
  async #judge(
    strangers: ReadonlyMap<string, AuditRecord>,
    head: AuditCheckpoint | null,
    journal: ReadonlyMap<string, Told>,
  ): Promise<number> {
    const { position = "" } = await this.store.from(auditPositions).get(CHAIN) ?? {};
    let waiting = 0;
    for (const [id, entry] of strangers) {
      const told = journal.get(id);
      const wasPassed = told !== undefined && head !== null &&
        Date.parse(told.at) + WINDOW < Date.parse(head.at);
      if (told !== undefined && told.position > position && !wasPassed) waiting++;
      else this.#found(Infinity, `Entry ${nameOf(entry)} was put into the log: no link holds it`);
    }
    return waiting;
  }

  async #readJournal(): Promise<ReadonlyMap<string, Told>> {
    const told = new Map<string, Told>();
    for await (const { seq, at, changes } of entriesUpTo(this.store, "", this.store.position())) {
      for (const { collection, id, op } of changes) {
        if (collection === auditLog.name && op === "insert") told.set(id, { position: seq, at });
      }
    }
    return told;
  }
}

function nameOf({ id, createdAt, action, target }: AuditRecord): string {
  return `${id} (${action} ${target}, ${createdAt})`;
}
