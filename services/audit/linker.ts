// Puts what is written to the audit log into its chain, within about a second, in the order of the journal.
//
// Commits do not wait for the chain, nor for each other at its end: it is made behind them. The links, the signed head and
// the position in the journal that they stand for are one commit, so that a crash leaves a chain that goes on, and of
// several processes only one can add a link. While one is at work it says so, and the others leave it to it.
import { getLogger } from "@logtape/logtape";
import { delay } from "../../core/delay.ts";
import { HOUR, SECOND } from "../../core/units.ts";
import {
  auditCheckpoints,
  auditLinks,
  auditLog,
  type AuditPosition,
  auditPositions,
  CHAIN,
  HEAD,
} from "../../models/audit.ts";
import {
  type JournalEntry,
  type Made,
  type Store,
  type Tail,
  type Transaction,
  UniqueConflict,
} from "../../storage/port.ts";
import { lineOf, linkAfter, type Notary, type Place, START } from "./chain.ts";
import { unlinked } from "./unlinked.ts";

/** Entries of a link: so many are below what Deno KV holds in one value. */
export const PER_LINK = 500;
/** Entries whose links are one commit, where nothing has to be read for them: a quarter of what Deno KV takes at once. */
const TOGETHER = 4 * PER_LINK;
/**
 * Entries that are read and hashed at once: half a millisecond of work, three on a slow machine. Beyond the first link of a
 * pass they are more: three thousand writes a second would come faster than they are linked, and the longer it takes, the
 * fewer of the entries memory still has.
 */
const PIECE = { usual: 20, behind: 60 };
/**
 * Milliseconds between pieces: an import brings ten thousand entries at once. `nextTurn` would let several pieces go
 * before requests, and those of a busy server feel each.
 */
const REST = 3;
/** Milliseconds that a process has the chain for itself after each link. */
const HELD = 10 * SECOND;
/** Milliseconds between checkpoints that are kept, and after which the position is written though nothing was linked. */
const KEPT_EVERY = HOUR;
/** Milliseconds that the journal may take at least to give an entry that it has, and twice as many at most. */
const JOURNAL_PATIENCE = 5 * SECOND;

const server = { userId: null };
const log = getLogger(["quarterdeck", "audit"]);

interface Options {
  readonly store: Store;
  readonly notary: Notary;
  readonly clock: () => Date;
}

/** What is to be added: how entries of the log stand in links, and the position in the journal that is reached with them. */
interface Found {
  readonly lines: readonly string[];
  readonly position: string | undefined;
  readonly note?: "late";
}

/** Another process has added to the chain meanwhile. */
class Lost extends Error {
  override readonly name = "Lost";
}

export class AuditLinker {
  readonly #id = crypto.randomUUID();
  /** What of the journal this process has looked through since `#from`, the position that is stored. */
  #reached = "";
  #from: string | undefined;
  /** The end of the chain, as far as this process has made it, or found it signed. */
  #end: Place | null = null;
  #keptAt = -Infinity;
  #running: Promise<unknown> = Promise.resolve();
  /** Whether it lets no requests go before it any more. */
  #hurrying = false;
  /** How entries that this process writes stand in a link. */
  readonly #tail: Tail<string>;

  constructor(readonly options: Options) {
    this.#tail = options.store.tail(auditLog, (entry) => lineOf(entry.id, entry));
  }

  /** Adds what is new. @returns How many entries that was. @throws {StoreUnavailable} */
  link(): Promise<number> {
    const run = this.#running.catch(() => {}).then(() => this.#link());
    this.#running = run;
    return run;
  }

  /** From now on it reads as much at once as a link takes, and lets no requests go before it. */
  hurry(): void {
    this.#hurrying = true;
  }

  async #link(): Promise<number> {
    const { store, clock } = this.options;
    const now = clock().getTime();
    if (store.position() === this.#reached && now - this.#keptAt < KEPT_EVERY) return 0;
    const held = await store.from(auditPositions).get(CHAIN);
    if (held && this.#isOthers(held, now)) return 0;
    try {
      const began = await this.#begin(held);
      const linked = await this.#followJournal(began);
      if (now - this.#keptAt >= KEPT_EVERY) await this.#keep();
      return linked;
    } catch (error) {
      this.#end = null;
      // A link of another process has the number already.
      const isLost = error instanceof Lost || error instanceof UniqueConflict;
      if (!isLost) throw error;
      return 0;
    }
  }

  #isOthers({ holder, heldUntil = "" }: AuditPosition, now: number): boolean {
    return holder !== undefined && holder !== this.#id && Date.parse(heldUntil) > now;
  }

  /** Where to read on. What the journal cannot tell any more is looked for in the log itself. */
  async #begin(held: AuditPosition | null): Promise<string> {
    const { store } = this.options;
    const isOwn = held !== null && held.position === this.#from;
    if (isOwn) return this.#reached > held.position ? this.#reached : held.position;
    this.#end = null;
    if (held && await store.entry(held.position)) return held.position;
    const position = store.position();
    for await (const ids of unlinked(store, PER_LINK)) {
      await this.#add({ lines: await this.#linesOf(ids), position: undefined, note: "late" });
    }
    await this.#add({ lines: [], position });
    return position;
  }

  /** @returns How many entries were added. */
  async #followJournal(after: string): Promise<number> {
    const end = this.options.store.position();
    const known = this.#tail.take(after, end);
    const added = known ? await this.#addKnown(known) : await this.#addRead(after, end);
    this.#reached = end;
    return added;
  }

  async #addKnown(known: readonly Made<string>[]): Promise<number> {
    let lines: string[] = [];
    let added = 0;
    for (const [n, { seq, made }] of known.entries()) {
      lines.push(...made);
      if (lines.length < TOGETHER && n < known.length - 1) continue;
      await this.#add({ lines, position: seq });
      added += lines.length;
      lines = [];
    }
    return added;
  }

  async #addRead(after: string, end: string): Promise<number> {
    let ids: string[] = [];
    let last = after, added = 0;
    const add = async () => {
      await this.#add({ lines: await this.#linesOf(ids, added > 0), position: last });
      added += ids.length;
      ids = [];
    };
    for await (const entry of entriesUpTo(this.options.store, after, end)) {
      ids.push(...writtenIn(entry));
      last = entry.seq;
      if (ids.length >= PER_LINK) await add();
    }
    if (ids.length > 0) await add();
    return added;
  }

  /** One commit: links for these entries, the head, and the position. @throws {Lost} */
  async #add(found: Found): Promise<void> {
    const { store, clock } = this.options;
    const { end, broken } = this.#end ? { end: this.#end, broken: null } : await this.#findEnd();
    const links = broken ? [linkAfter(end, [], "break")] : [];
    for (let n = 0; n < found.lines.length; n += PER_LINK) {
      const lines = found.lines.slice(n, n + PER_LINK);
      links.push(linkAfter(links.at(-1) ?? end, lines, found.note));
    }
    const place = links.at(-1) ?? end;
    const at = clock().toISOString();
    await store.transact(server, async (tx) => {
      await this.#assertHead(tx, broken ?? end);
      for (const link of links) tx.insert(auditLinks, link);
      if (links.length > 0) await this.#writeHead(tx, place, at);
      await this.#writePosition(tx, found.position, at);
    });
    this.#end = place;
    this.#from = found.position ?? this.#from;
  }

  /** How entries stand in a link. */
  async #linesOf(ids: readonly string[], behind = false): Promise<string[]> {
    const lines: string[] = [];
    const piece = this.#hurrying ? ids.length : behind ? PIECE.behind : PIECE.usual;
    for (let n = 0; n < ids.length; n += piece) {
      const some = ids.slice(n, n + piece);
      const entries = await this.options.store.from(auditLog).getMany(some);
      some.forEach((id, at) => lines.push(lineOf(id, entries[at] ?? null)));
      if (ids.length > piece) await delay(REST);
    }
    return lines;
  }

  /**
   * The newest link, if it is the one that is signed; else the chain goes on from it, and says so for good.
   *
   * @returns `broken`: what is signed instead.
   * @throws {Lost} where another process links meanwhile.
   */
  async #findEnd(): Promise<{ end: Place; broken: Place | null }> {
    const { store, notary } = this.options;
    const head = await store.from(auditCheckpoints).get(HEAD);
    const { rows: [link] } = await store.from(auditLinks).list({ sort: "-seq", limit: 1 });
    if (!head && !link) return { end: START, broken: null };
    const isSigned = head?.kind === HEAD && notary.isSigned(head) &&
      (!link || link.seq === head.seq && link.hash === head.hash);
    if (isSigned) return { end: { seq: head.seq, hash: head.hash }, broken: null };
    // The link may have been made after the head was read.
    const now = await store.from(auditCheckpoints).get(HEAD);
    if (now?.hash !== head?.hash) throw new Lost();
    log.error(
      "The audit log's chain was changed, or signed by another key: it goes on after link {seq}, marked. " +
        "deno task verify --audit tells more; a former AUDIT_KEY belongs behind the new one, after a comma",
      { seq: link?.seq ?? 0 },
    );
    return { end: link ?? START, broken: head ?? START };
  }

  /** What is signed is still what was found: read through the plan, so that its commit fails where it is not. */
  async #assertHead(tx: Transaction, { seq, hash }: Place): Promise<void> {
    const head = await tx.from(auditCheckpoints).get(HEAD) ?? START;
    if (head.seq !== seq || head.hash !== hash) throw new Lost();
  }

  async #writeHead(tx: Transaction, { seq, hash }: Place, at: string): Promise<void> {
    const head = this.options.notary.signed({ kind: HEAD, seq, hash, at });
    const before = await tx.from(auditCheckpoints).get(HEAD);
    if (before) tx.update(auditCheckpoints, before, head);
    else tx.insert(auditCheckpoints, { id: HEAD, ...head });
  }

  async #writePosition(tx: Transaction, position: string | undefined, at: string): Promise<void> {
    const { store } = this.options;
    const held = await tx.from(auditPositions).get(CHAIN);
    if (held && this.#isOthers(held, Date.parse(at))) throw new Lost();
    const heldUntil = new Date(Date.parse(at) + HELD).toISOString();
    const mine = store.shared ? { holder: this.#id, heldUntil } : {};
    if (held) tx.update(auditPositions, held, { ...mine, position: position ?? held.position });
    else if (position !== undefined) {
      tx.insert(auditPositions, { id: CHAIN, position, ...mine });
    }
  }

  /** Keeps what is signed now, for good, where the chain has grown since the last time; and tells the log. */
  async #keep(): Promise<void> {
    const { store, notary, clock } = this.options;
    const now = clock();
    const where = { kind: "kept" };
    const kept = await store.from(auditCheckpoints).list({ where, sort: "-seq", limit: 1 });
    const [last] = kept.rows;
    this.#keptAt = last ? Date.parse(last.at) : -Infinity;
    if (now.getTime() - this.#keptAt < KEPT_EVERY) return;
    const end = this.#end ?? (await this.#findEnd()).end;
    if (end.seq > (last?.seq ?? 0)) {
      const { seq, hash } = end;
      const word = notary.signed({ kind: "kept", seq, hash, at: now.toISOString() });
      await store.transact(server, (tx) => void tx.insert(auditCheckpoints, word));
      log.info("The audit log's chain is at link {seq} with the hash {hash}", { seq, hash });
    }
    this.#keptAt = now.getTime();
    await this.#rest();
  }

  /** Writes how far the journal was looked through, so that the position is not older than what the journal keeps. */
  async #rest(): Promise<void> {
    if (this.#from === undefined || this.#reached <= this.#from) return;
    await this.#add({ lines: [], position: this.#reached });
  }
}

function writtenIn({ changes }: JournalEntry): string[] {
  return changes.filter(({ collection, op }) => collection === auditLog.name && op === "insert")
    .map(({ id }) => id);
}

/** Entries of the journal after a position and up to another; fewer where it does not keep all of them any more. */
export async function* entriesUpTo(
  store: Store,
  after: string,
  end: string,
): AsyncIterable<JournalEntry> {
  if (after >= end) return;
  const patience = new AbortController();
  // One timer for all entries: one for each would take as long as reading it.
  let silent = false;
  const timer = setInterval(() => {
    if (silent) patience.abort();
    silent = true;
  }, JOURNAL_PATIENCE);
  try {
    for await (const entry of store.changes({ after, signal: patience.signal })) {
      if (entry.seq > end) return;
      yield entry;
      if (entry.seq >= end) return;
      silent = false;
    }
  } finally {
    clearInterval(timer);
  }
}
