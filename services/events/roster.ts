// The open streams, by who may have to be told: nothing is looked for stream by stream.
import { PUBLIC_COLLECTIONS } from "./event.ts";
import type { Item } from "./replay.ts";
import type { Topic } from "./records.ts";
import { seesAll } from "./sights.ts";
import type { EventStream } from "./stream.ts";

export class Roster {
  readonly all = new Set<EventStream>();
  readonly #byUser = new Map<string, Set<EventStream>>();
  /** By the super_admin who acts as the user of the stream. */
  readonly #byImpersonator = new Map<string, Set<EventStream>>();
  /** Streams that are told of all records of a collection, or of the dashboard. */
  readonly #seeingAll = new Map<Topic, Set<EventStream>>();

  add(stream: EventStream): void {
    this.all.add(stream);
    const { user, session } = stream.principal;
    put(this.#byUser, user.id, stream);
    if (session?.impersonatorId !== undefined) {
      put(this.#byImpersonator, session.impersonatorId, stream);
    }
    this.sort(stream);
  }

  remove(stream: EventStream): void {
    this.all.delete(stream);
    const { user, session } = stream.principal;
    take(this.#byUser, user.id, stream);
    if (session?.impersonatorId !== undefined) {
      take(this.#byImpersonator, session.impersonatorId, stream);
    }
    for (const streams of this.#seeingAll.values()) streams.delete(stream);
  }

  /** To be called when what its reader may see has changed. */
  sort(stream: EventStream): void {
    for (const collection of PUBLIC_COLLECTIONS) {
      const sees = stream.admits(collection) && seesAll(stream.principal, collection);
      this.#sortInto(collection, stream, sees);
    }
    this.#sortInto("dashboard", stream, stream.admits("dashboard"));
  }

  of(userId: string): ReadonlySet<EventStream> {
    return this.#byUser.get(userId) ?? NONE;
  }

  /** Those that end or narrow with the account: of the user, and of those whom the user acts as. */
  restingOn(userId: string): EventStream[] {
    return [...this.of(userId), ...this.#byImpersonator.get(userId) ?? []];
  }

  seeing(topic: Topic): ReadonlySet<EventStream> {
    return this.#seeingAll.get(topic) ?? NONE;
  }

  /** Streams that may have to be told of an item. */
  concernedBy({ sight, reload }: Item): ReadonlySet<EventStream> {
    const found = new Set<EventStream>();
    const addAll = (userIds: Iterable<string>) => {
      for (const userId of userIds) for (const stream of this.of(userId)) found.add(stream);
    };
    if (reload) {
      addAll(reload.userIds);
      for (const collection of reload.managers ? reload.collections : []) {
        for (const stream of this.seeing(collection)) found.add(stream);
      }
    } else if (sight.only) addAll(sight.only);
    else {
      for (const stream of this.seeing(sight.event.collection)) found.add(stream);
      for (const userIds of [sight.seers, sight.gained, sight.lost]) addAll(userIds);
    }
    return found;
  }

  #sortInto(topic: Topic, stream: EventStream, sees: boolean): void {
    if (sees) put(this.#seeingAll, topic, stream);
    else this.#seeingAll.get(topic)?.delete(stream);
  }
}

const NONE: ReadonlySet<EventStream> = new Set();

function put<K>(map: Map<K, Set<EventStream>>, key: K, stream: EventStream): void {
  const streams = map.get(key);
  if (streams) streams.add(stream);
  else map.set(key, new Set([stream]));
}

function take<K>(map: Map<K, Set<EventStream>>, key: K, stream: EventStream): void {
  const streams = map.get(key);
  if (streams?.delete(stream) && streams.size === 0) map.delete(key);
}
