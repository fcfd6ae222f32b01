// Why someone may do something, or may not: each rule that decides, with what opens it or what is missing.
import type { z } from "zod";
import type { Settings } from "../../config/settings.ts";
import { documents } from "../../models/documents.ts";
import type { explanation } from "../../models/explanation.ts";
import { files } from "../../models/files.ts";
import type { Role } from "../../models/roles.ts";
import type { User } from "../../models/users.ts";
import type { Store } from "../../storage/port.ts";
import { gaveSecondFactor } from "../accounts/principals.ts";
import { hasSecondFactor, needsSecondFactor } from "../accounts/second_factors.ts";
import { eventOf } from "../calendar/calendar.ts";
import { covers, type Principal } from "./access.ts";
import { type Level, type Opener, type Opening, openingsOf, reaches } from "./visibility.ts";

type Source = Pick<Store, "from">;
export type Explanation = z.infer<typeof explanation>;
type Reason = Explanation["reasons"][number];

/** What is asked about. */
export interface Question {
  readonly permission: string;
  readonly resource?: "documents" | "files" | "calendar";
  readonly id?: string;
}

/** The level on a record that an action needs: changing takes an `edit` share, the rest is the owner's. */
const NEEDED: Readonly<Record<string, Level>> = { view: "read", list: "read", update: "edit" };

const OPENED_BY: Readonly<Record<Opener, string>> = {
  management: "they manage all of its kind",
  ownership: "it is theirs",
  share: "it is shared with them",
  teamShare: "it is shared with a team of theirs",
  team: "it belongs to a team of theirs",
  attendance: "they attend it",
  nothing: "nothing opens it to them",
};

/**
 * @param asker Whoever asks: what they may not see themselves is explained as if it were not there.
 * @param about The one it is about, as a request of theirs would be seen.
 */
export async function explain(
  site: { readonly store: Source; readonly settings: Settings; readonly now: string },
  asker: Principal,
  about: Principal,
  question: Question,
): Promise<Explanation> {
  const { user } = about;
  const reasons = [
    accountReason(user),
    ...await secondFactorReasons(site, about),
    permissionReason(site.settings, about, question.permission),
    ...await recordReasons(site, asker, about, question),
  ];
  return {
    allowed: reasons.every(({ ok }) => ok),
    user: { id: user.id, name: user.name },
    permission: question.permission,
    reasons,
  };
}

function accountReason({ status }: User): Reason {
  const because = `the account is ${status}`;
  return { rule: "account", ok: status === "active", because, basis: { status } };
}

/** Of the caller, whether one was given; of others, who may yet sign in, whether there is one to give. */
async function secondFactorReasons(
  { store, settings }: { store: Source; settings: Settings },
  { user, session, key }: Principal,
): Promise<Reason[]> {
  if (!needsSecondFactor(settings, user)) return [];
  const asks = session !== null || key !== null;
  const ok = asks ? gaveSecondFactor({ session, key }) : await hasSecondFactor(store, user.id);
  const [verb, done] = asks ? ["was", "given"] : ["is", "set up"];
  const because = `the role '${user.role}' asks for a second factor, which ${verb} ${
    ok ? "" : "not "
  }${done}`;
  return [{ rule: "secondFactor", ok, because, basis: { role: user.role } }];
}

function permissionReason(
  { variant }: Settings,
  { user, role, key, permissions }: Principal,
  permission: string,
): Reason {
  const isOpen = variant.open.includes(permission.split(":")[0]!);
  if (key && !covers(isOpen ? key.scopes : permissions, permission)) {
    const because = `the API key '${key.name}' does not open it`;
    return { rule: "permission", ok: false, because, basis: { by: "nothing", key: key.name } };
  }
  if (isOpen) {
    const because = "everyone signed in may, with their own";
    return { rule: "permission", ok: true, because, basis: { by: "everyone" } };
  }
  return { rule: "permission", ...grantOf(user, role, permission) };
}

function grantOf(user: User, role: Role | null, permission: string): Omit<Reason, "rule"> {
  const byRole = role?.permissions.find((held) => covers([held], permission));
  if (byRole !== undefined) {
    const because = `the role '${user.role}' holds '${byRole}'`;
    return { ok: true, because, basis: { by: "role", role: user.role, held: byRole } };
  }
  const own = user.permissions.find((held) => covers([held], permission));
  if (own !== undefined) {
    return { ok: true, because: `the user holds '${own}'`, basis: { by: "user", held: own } };
  }
  const because =
    `'${permission}' is missing: neither the role '${user.role}' holds it nor the user`;
  return { ok: false, because, basis: { by: "nothing", role: user.role } };
}

async function recordReasons(
  site: { store: Source; now: string },
  asker: Principal,
  about: Principal,
  { permission, resource, id }: Question,
): Promise<Reason[]> {
  if (resource === undefined || id === undefined) return [];
  const [forAsker, opening] = await Promise.all([
    openingOf(site, asker, resource, id),
    openingOf(site, about, resource, id),
  ]);
  if (forAsker.level === "none") {
    return [{
      rule: "record",
      ok: false,
      because: "there is no such record, or you may not see it",
      basis: {},
    }];
  }
  const needed = NEEDED[permission.split(":")[1]!] ?? "owner";
  const { level, by } = opening;
  const because = level === "none"
    ? OPENED_BY[by]
    : `they have '${level}', because ${OPENED_BY[by]}; '${needed}' is needed`;
  return [{ rule: "record", ok: reaches(level, needed), because, basis: { by, level, needed } }];
}

const CLOSED: Opening = { level: "none", by: "nothing" };

async function openingOf(
  { store, now }: { store: Source; now: string },
  principal: Principal,
  resource: NonNullable<Question["resource"]>,
  id: string,
): Promise<Opening> {
  if (resource === "calendar") return await eventOpening(store, principal, id);
  const record = resource === "documents"
    ? await store.from(documents).get(id)
    : await store.from(files).get(id);
  if (!record) return CLOSED;
  const [opening] = await openingsOf(store, principal, resource, [record], now);
  return opening!;
}

async function eventOpening(store: Source, principal: Principal, id: string): Promise<Opening> {
  const found = await eventOf(store, principal, id);
  if (!found) return CLOSED;
  if (found.changes) {
    const own = found.event.ownerId === principal.user.id;
    return { level: "owner", by: own ? "ownership" : "management" };
  }
  return { level: "read", by: "attendance" };
}
