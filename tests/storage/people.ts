// Records for the storage tests.
import { type User, users } from "../../models/users.ts";
import type { Actor, NewRecord, Store } from "../../storage/port.ts";

export const server: Actor = { userId: null };

/** A user that can be inserted. */
export function person(name: string, fields: Partial<NewRecord<User>> = {}): NewRecord<User> {
  return {
    name,
    email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`,
    role: "user",
    permissions: [],
    status: "active",
    ...fields,
  };
}

export function addPerson(
  store: Store,
  name: string,
  fields: Partial<NewRecord<User>> = {},
): Promise<User> {
  return store.transact(server, (tx) => tx.insert(users, person(name, fields)));
}

/** Stored as given, timestamps included. */
export function storedPerson(
  id: string,
  createdAt: string,
  fields: Partial<NewRecord<User>> = {},
): Omit<User, "rev"> {
  return { ...person(id, fields), id, createdAt, updatedAt: createdAt };
}

/** A clock that a test sets: starts in 2026 and goes on by a second each time it is read. */
export function steppingClock(): () => Date {
  let ms = Date.UTC(2026, 0, 1);
  return () => new Date(ms += 1000);
}
