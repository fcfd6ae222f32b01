// People who are shown with a record: their public form, and the check that those a request names are active.
import { ApiError } from "../../core/errors.ts";
import type { Person } from "../../models/requests.ts";
import { personInRow, type User, users } from "../../models/users.ts";
import { everyMatch } from "../../storage/every_match.ts";
import type { Store } from "../../storage/port.ts";
import { doomedAmong } from "./doomed.ts";

type Source = Pick<Store, "from">;

/** Stands for whoever wrote something and is deleted. */
export const DELETED_USER: Person = { id: "", name: "Deleted user" };

export function personOf({ id, name, avatar }: User): Person {
  return { id, name, avatar };
}

/** By id; those who are deleted are not in it. */
export async function personsById(
  source: Source,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Person>> {
  const rows = await source.from(users).rowsOf([...new Set(ids)]);
  const persons = rows.flatMap((row) =>
    row === null ? [] : [JSON.parse(personInRow(row)) as Person]
  );
  return new Map(persons.map((person) => [person.id, person]));
}

/** Those of the users who are there, and not being deleted. A plan runs again where that begins meanwhile. */
export async function staying(source: Source, ids: readonly string[]): Promise<readonly string[]> {
  const people = await source.from(users).getMany(ids);
  // The beginning of its deletion has made an account inactive.
  const inactive = people.flatMap((user) => user && user.status !== "active" ? user.id : []);
  const doomed = await doomedAmong(source, inactive);
  return people.flatMap((user) => user && !doomed.has(user.id) ? user.id : []);
}

/**
 * The users a request names, who must be there and active.
 *
 * @param field The field that an error names.
 * @throws {ApiError} VALIDATION_ERROR, with one detail for each who is not.
 */
export async function activeUsers(
  source: Source,
  ids: readonly string[],
  field: string,
): Promise<readonly User[]> {
  const found = await source.from(users).getMany(ids);
  const active = found.filter((user) => user?.status === "active") as User[];
  if (active.length === ids.length) return active;
  const activeIds = new Set(active.map(({ id }) => id));
  const details = ids.filter((id) => !activeIds.has(id)).map((id) => ({
    field,
    message: `there is no active user '${id}'`,
  }));
  throw new ApiError("VALIDATION_ERROR", details[0]?.message, { details });
}

/** The time zones of those of the users who have set one. */
export async function zonesOf(
  source: Source,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = await everyMatch(source, users, { id: ids });
  return new Map(found.map(({ id, timeZone }) => [id, timeZone]));
}
