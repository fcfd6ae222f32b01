// A person's data as one JSON document, written as it is read: however much there is, only a few records are in memory.
import { JsonText } from "../../core/json.ts";
import { checkins } from "../../models/snippets.ts";
import { publicUserOf } from "../access/users.ts";
import { storageOf } from "../content/storage_usage.ts";
import { type Asked, type Section, sections } from "./personal_sections.ts";

/** The collections that the document tells of outside its sections. */
export const TOLD_APART = ["users", "storageUsage", "checkins"];

/**
 * The pieces of the document. A section that the caller may not be shown is left out, and named in `withheld`.
 *
 * @param now ISO 8601.
 */
export async function* personalData(asked: Asked, now: string): AsyncGenerator<string> {
  const { services: { store, settings }, principal, person } = asked;
  const own = principal.user.id === person.id;
  const [shown, withheld] = partition(sections, (one) => own || one.opens(principal));
  const checkin = await store.from(checkins).get(person.id);
  const head = {
    exportedAt: now,
    profile: await publicUserOf(store, person),
    storage: await storageOf(store, person.id, settings.uploads.quota),
    checkin: checkin && {
      totalPoints: checkin.totalPoints,
      streak: checkin.streak,
      lastDay: checkin.lastDay,
      timeZone: checkin.timeZone,
    },
    withheld: withheld.map(({ name }) => name),
  };
  yield JSON.stringify(head).slice(0, -1);
  for (const section of shown) {
    yield `,${JSON.stringify(section.name)}:[`;
    yield* recordsOf(asked, section);
    yield "]";
  }
  yield "}";
}

/** The records of a section as JSON, oldest first, parted by commas. */
async function* recordsOf(asked: Asked, section: Section): AsyncGenerator<string> {
  const where = section.where(asked.person.id);
  let cursor: string | undefined;
  let comma = "";
  do {
    const query = { where, sort: "createdAt", limit: section.batch, cursor };
    const page = await asked.services.store.from(section.collection).list(query);
    const records = await section.shape(asked, page.rows);
    const text = records.map(jsonOf).join(",");
    if (text !== "") {
      yield comma + text;
      comma = ",";
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function jsonOf(record: unknown): string {
  return record instanceof JsonText ? record.text : JSON.stringify(record);
}

function partition<T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] {
  return [all.filter(holds), all.filter((one) => !holds(one))];
}
