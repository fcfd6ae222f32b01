// What the store holds about a person, section by section, in the form that they see it in (GDPR, articles 15 and 20).
import { z } from "zod";
import { publicSession } from "../../models/auth.ts";
import { apiKeys, publicApiKey } from "../../models/api_keys.ts";
import { avatars } from "../../models/avatars.ts";
import { auditLog, type AuditRecord } from "../../models/audit.ts";
import {
  attendees,
  events,
  publicEvent,
  publicReminder,
  reminders,
} from "../../models/calendar.ts";
import type { CollectionDeclaration, Entity } from "../../models/collection.ts";
import { publicTask, tasks, visitors } from "../../models/dashboard.ts";
import { documentRow, documents } from "../../models/documents.ts";
import { files, fileVersions, publicVersion } from "../../models/files.ts";
import { folders } from "../../models/folders.ts";
import { identities } from "../../models/identities.ts";
import {
  conversations,
  messages,
  participants,
  publicMessage,
  receipts,
} from "../../models/messages.ts";
import { notifications, publicNotification } from "../../models/notifications.ts";
import { passkeys, publicPasskey } from "../../models/passkeys.ts";
import { preferences } from "../../models/preferences.ts";
import { secondFactors, signInChallenges } from "../../models/second_factors.ts";
import { emailLinks, passwordResets, sessions } from "../../models/sessions.ts";
import { publicShare, shares } from "../../models/shares.ts";
import { type DocumentRevision, documentRevisions } from "../../models/revisions.ts";
import { trash, type TrashEntry, trashParts } from "../../models/trash.ts";
import { bundleOf } from "../content/bundles.ts";
import { snippets } from "../../models/snippets.ts";
import { teamMembers, teams } from "../../models/teams.ts";
import { type User, users } from "../../models/users.ts";
import { webhooks } from "../../models/webhooks.ts";
import { JsonText } from "../../core/json.ts";
import type { Where } from "../../storage/port.ts";
import { manages, permits, type Principal } from "../access/access.ts";
import { shapeEvents } from "../calendar/calendar.ts";
import { summaries } from "../content/documents.ts";
import { fileViews } from "../content/files.ts";
import { targetFor } from "../dashboard/activities.ts";
import { shapeMessages } from "../messaging/messages.ts";
import type { Services } from "../services.ts";
import { webhookView } from "../webhooks/views.ts";
import { sessionView } from "./devices.ts";

/** Whose data are asked for, and by whom. */
export interface Asked {
  readonly services: Services;
  readonly principal: Principal;
  readonly person: User;
}

/** A part of the data: the records of one collection, and how the person sees them. */
export interface Section {
  readonly name: string;
  /** The collections that it tells of. */
  readonly of: readonly string[];
  readonly collection: CollectionDeclaration<Entity>;
  /** Records read at a time. */
  readonly batch: number;
  /** Whether somebody else who may manage the person gets it too. */
  opens(principal: Principal): boolean;
  where(userId: string): Where<Entity>;
  shape(asked: Asked, records: readonly Entity[]): Promise<readonly unknown[]>;
}

const BATCH = 50;
/** Of records that hold up to half a mebibyte of text. */
const LARGE_BATCH = 5;

type Opens = Section["opens"];
const toManagers: Opens = () => true;
const toManagersOf = (...resources: string[]): Opens => (principal) =>
  resources.every((resource) => manages(principal, resource));
/** Who holds everything may act as the person anyway. */
const toSuperAdmins: Opens = ({ permissions }) => permits(permissions, "*");
const toModerators: Opens = ({ permissions }) =>
  permits(permissions, "snippets:view") || permits(permissions, "documents:*");

function section<T extends Entity>(
  name: string,
  collection: CollectionDeclaration<T>,
  opens: Opens,
  where: (userId: string) => Where<T>,
  shape: (asked: Asked, records: readonly T[]) => readonly unknown[] | Promise<readonly unknown[]>,
  { batch = BATCH, of = [] as readonly { name: string }[] } = {},
): Section {
  return {
    name,
    of: [collection, ...of].map((one) => one.name),
    collection: collection as unknown as Section["collection"],
    batch,
    opens,
    where: where as Section["where"],
    shape: async (asked, records) => await shape(asked, records as unknown as readonly T[]),
  };
}

const theirs = (userId: string) => ({ userId });
const owned = (ownerId: string) => ({ ownerId });
const made = (createdBy: string) => ({ createdBy });

/** Only the fields of the schema leave the server. */
function as<S extends z.ZodType>(
  schema: S,
): (asked: Asked, records: readonly unknown[]) => unknown[] {
  return (_, records) => records.map((record) => schema.parse(record));
}

/** The stored fields of these names. */
function only<T extends Entity>(
  collection: CollectionDeclaration<T>,
  ...fields: (keyof T & string)[]
): (asked: Asked, records: readonly unknown[]) => unknown[] {
  const shape = fields.map((field) => [field, collection.schema.shape[field]!]);
  return as(z.object(Object.fromEntries(shape)));
}

export const sections: readonly Section[] = [
  section(
    "sessions",
    sessions,
    toManagers,
    theirs,
    async ({ principal }, records) => {
      const current = principal.session?.id;
      const shown = await Promise.all(records.map((one) => sessionView(one, current)));
      return shown.map((one) => publicSession.parse(one));
    },
  ),
  section(
    "avatar",
    avatars,
    toManagers,
    theirs,
    only(avatars, "mimeType", "size", "sha256", "createdAt", "updatedAt"),
  ),
  section(
    "preferences",
    preferences,
    toManagers,
    theirs,
    (_, records) => records.map(({ json }) => new JsonText(json)),
  ),
  section("apiKeys", apiKeys, toManagers, theirs, as(publicApiKey)),
  section("passkeys", passkeys, toManagers, theirs, as(publicPasskey)),
  section(
    "webhooks",
    webhooks,
    toManagersOf("webhooks"),
    owned,
    ({ principal }, records) => records.map((hook) => webhookView(principal, hook)),
  ),
  section(
    "identities",
    identities,
    toManagers,
    theirs,
    only(identities, "issuer", "subject", "email", "createdAt"),
  ),
  section(
    "secondFactors",
    secondFactors,
    toManagers,
    theirs,
    (_, records) =>
      records.map(({ totp, totpSince, recoveryCodes, createdAt }) => ({
        totp: { enabled: totp !== undefined, since: totpSince },
        recoveryCodes: recoveryCodes.length,
        createdAt,
      })),
  ),
  section(
    "pendingSignIns",
    signInChallenges,
    toManagers,
    theirs,
    only(signInChallenges, "method", "createdAt", "expiresAt"),
  ),
  section(
    "passwordLinks",
    passwordResets,
    toManagers,
    theirs,
    only(passwordResets, "createdAt", "expiresAt"),
  ),
  section(
    "addressLinks",
    emailLinks,
    toManagers,
    theirs,
    only(emailLinks, "email", "purpose", "createdAt", "expiresAt"),
  ),
  section("teams", teamMembers, toManagers, theirs, async ({ services }, records) => {
    const found = await services.store.from(teams).getMany(records.map(({ teamId }) => teamId));
    return records.map(({ teamId, role, createdAt }, n) => ({
      id: teamId,
      name: found[n]?.name,
      role,
      joinedAt: createdAt,
    }));
  }, { of: [teams] }),
  section(
    "documents",
    documents,
    toManagersOf("documents"),
    owned,
    async ({ services }, records) => {
      const shown = await summaries(services, { rows: records.map(documentRow) });
      return records.map(({ content }, n) =>
        new JsonText(`${shown[n]!.text.slice(0, -1)},"content":${JSON.stringify(content)}}`)
      );
    },
    { batch: LARGE_BATCH },
  ),
  section(
    "documentRevisions",
    documentRevisions,
    toManagersOf("documents"),
    (userId) => ({ any: [{ ownerId: userId }, { changedBy: userId }] }),
    ({ person }, records) => records.map((revision) => revisionOf(person, revision)),
    { batch: LARGE_BATCH },
  ),
  section(
    "trash",
    trash,
    toManagersOf("documents", "files"),
    (userId) => ({ any: [{ ownerId: userId }, { deletedBy: userId }] }),
    trashOf,
    { batch: LARGE_BATCH, of: [trashParts] },
  ),
  section(
    "folders",
    folders,
    toManagersOf("files"),
    owned,
    only(folders, "id", "name", "parentId", "createdAt", "updatedAt"),
  ),
  section(
    "files",
    files,
    toManagersOf("files"),
    owned,
    ({ services, principal }, records) =>
      fileViews({ store: services.store, principal, services }, records),
  ),
  section(
    "fileVersions",
    fileVersions,
    toManagersOf("files"),
    made,
    as(publicVersion.extend({ fileId: z.string(), mimeType: z.string() })),
  ),
  section(
    "shares",
    shares,
    toManagersOf("documents", "files"),
    (userId) => ({ any: [{ userId }, { createdBy: userId }] }),
    ({ person }, records) =>
      records.map((share) => ({
        ...publicShare.parse(share),
        givenByThem: share.createdBy === person.id,
      })),
  ),
  section("conversations", participants, toSuperAdmins, theirs, async ({ services }, records) => {
    const ids = records.map(({ conversationId }) => conversationId);
    const found = await services.store.from(conversations).getMany(ids);
    return records.map(({ conversationId: id, createdAt: joinedAt }, n) => ({
      id,
      type: found[n]?.type,
      name: found[n]?.name,
      joinedAt,
    }));
  }, { of: [conversations] }),
  section(
    "messages",
    receipts,
    toSuperAdmins,
    theirs,
    async ({ services: { store }, person }, records) => {
      const found = await store.from(messages).getMany(records.map(({ messageId }) => messageId));
      const shown = await shapeMessages(store, person.id, found.filter((one) => one !== null));
      return shown.map((message) => publicMessage.parse(message));
    },
    { of: [messages] },
  ),
  section("notifications", notifications, toSuperAdmins, theirs, as(publicNotification)),
  section("events", events, toManagersOf("calendar"), owned, shownEvents),
  section("invitations", attendees, toManagersOf("calendar"), theirs, async (asked, records) => {
    const ids = records.map(({ eventId }) => eventId);
    const found = await asked.services.store.from(events).getMany(ids);
    return await shownEvents(
      asked,
      found.filter((one) => one !== null && one.ownerId !== asked.person.id) as EventRecord[],
    );
  }),
  section(
    "reminders",
    reminders,
    toManagersOf("calendar"),
    theirs,
    as(publicReminder.extend({ eventId: z.string(), firedAt: z.string().optional() })),
  ),
  section(
    "tasks",
    tasks,
    toManagers,
    (userId) => ({ any: [{ assigneeId: userId }, { createdBy: userId }] }),
    ({ person }, records) =>
      records.map((task) => ({
        ...publicTask.omit({ assignee: true }).parse(task),
        assignedToThem: task.assigneeId === person.id,
      })),
  ),
  section(
    "snippets",
    snippets,
    toModerators,
    theirs,
    only(snippets, "id", "language", "content", "createdAt"),
    { batch: LARGE_BATCH },
  ),
  section("visits", visitors, toManagers, theirs, (_, records) => records.map(({ date }) => date)),
  section(
    "activities",
    auditLog,
    toManagers,
    (userId) => ({
      any: [
        { actorId: userId },
        { impersonatorId: userId },
        { target: users.name, targetId: userId },
      ],
    }),
    ({ principal, person }, records) =>
      records.map((entry) => activityOf(principal, person, entry)),
  ),
];

/** A revision of theirs; of another's document, that they changed it. */
function revisionOf({ id }: User, revision: DocumentRevision): unknown {
  const { documentId, title, content, type, size, changed, createdAt: changedAt } = revision;
  const changedByThem = revision.changedBy === id;
  const about = { documentId, revision: revision.revision, changed, changedAt, changedByThem };
  return revision.ownerId === id ? { ...about, title, type, size, content } : about;
}

/** What is in the trash of theirs, documents with their texts; of others, that they deleted it. */
async function trashOf(
  { services: { store }, person }: Asked,
  entries: readonly TrashEntry[],
): Promise<readonly unknown[]> {
  return await Promise.all(entries.map(async (entry) => {
    const { id, kind, name, path, size, createdAt: deletedAt, expiresAt } = entry;
    const deletedByThem = entry.deletedBy === person.id;
    if (entry.ownerId !== person.id) return { id, kind, deletedAt, deletedByThem };
    const about = { id, kind, name, path, size, deletedAt, expiresAt, deletedByThem };
    const isText = kind === "document" && entry.bundles > 0;
    const { records: [top] } = isText ? await bundleOf(store, id, 0) : { records: [] };
    return isText ? { ...about, type: top?.record.type, content: top?.record.content } : about;
  }));
}

type EventRecord = Parameters<typeof shapeEvents>[2][number];

async function shownEvents(
  { services, person }: Asked,
  records: readonly EventRecord[],
): Promise<readonly unknown[]> {
  const shown = await shapeEvents(services.store, person.id, records);
  return shown.map((event) => publicEvent.parse(event));
}

/** An entry of the audit log; of what others did to the person, neither who they are nor where they were. */
function activityOf(principal: Principal, person: User, entry: AuditRecord): unknown {
  const { id, createdAt: time, action, target, targetId, fields, actorId, impersonatorId } = entry;
  const byThem = (impersonatorId ?? actorId) === person.id;
  return {
    id,
    time,
    action,
    target,
    targetId,
    targetName: targetFor(principal, entry),
    fields,
    byThem,
    /** Whether it was done in another's name. */
    impersonated: impersonatorId !== undefined,
    ...(byThem ? { ip: entry.ip, requestId: entry.requestId, apiKeyId: entry.apiKeyId } : {}),
  };
}
