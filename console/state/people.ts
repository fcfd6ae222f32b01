// Finding people, for fields that choose them.
import { listUsers, type User } from "../../client/mod.ts";

/** People who are offered at a time. */
const OFFERED = 20;

/** Somebody who can be chosen: `value` is the id. */
export interface PersonFound {
  readonly value: string;
  readonly label: string;
  /** The e-mail address. */
  readonly description: string;
  readonly src?: string;
}

export function personOf(
  { id, name, email, avatar }: Pick<User, "id" | "name" | "email" | "avatar">,
): PersonFound {
  return { value: id, label: name, description: email, ...(avatar ? { src: avatar } : {}) };
}

/** People by a part of their name or address. @param filter Such as the active ones alone. */
export function findPeople(
  filter: { readonly status?: User["status"] } = {},
): (search: string, signal: AbortSignal) => Promise<readonly PersonFound[]> {
  return async (search, signal) => {
    const { status } = filter;
    const query = {
      limit: OFFERED,
      sort: "name",
      ...(search ? { search } : {}),
      ...(status ? { status: [status] } : {}),
    };
    const { data } = await listUsers({ query, signal });
    return data.map(personOf);
  };
}
