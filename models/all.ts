// Every collection there is: what engines create, copies walk and cascades follow. Referenced collections come first.
import { apiKeys } from "./api_keys.ts";
import { auditCheckpoints, auditLinks, auditLog, auditPositions } from "./audit.ts";
import { avatars } from "./avatars.ts";
import { attendees, events, reminders } from "./calendar.ts";
import type { CollectionDeclaration } from "./collection.ts";
import { sales, tasks, visitors, visits } from "./dashboard.ts";
import { documents, documentTags, documentViews, tags } from "./documents.ts";
import { deletions } from "./deletions.ts";
import { contents, files, fileVersions, storageUsage } from "./files.ts";
import { folders } from "./folders.ts";
import { idempotentAnswers } from "./idempotency.ts";
import { identities } from "./identities.ts";
import { conversations, hiddenMessages, messages, participants, receipts } from "./messages.ts";
import { notifications } from "./notifications.ts";
import { passkeys, usedChallenges } from "./passkeys.ts";
import { permissions } from "./permissions.ts";
import { preferences } from "./preferences.ts";
import { documentRevisions } from "./revisions.ts";
import { roles } from "./roles.ts";
import { emailLinks, passwordResets, sessions } from "./sessions.ts";
import { secondFactors, signInChallenges } from "./second_factors.ts";
import { shares } from "./shares.ts";
import { checkins, snippets } from "./snippets.ts";
import { teamMembers, teams } from "./teams.ts";
import { trash, trashParts } from "./trash.ts";
import { users } from "./users.ts";
import { webhookDeliveries, webhookPositions, webhooks } from "./webhooks.ts";

// deno-lint-ignore no-explicit-any -- a list of collections of different records
export const allCollections: readonly CollectionDeclaration<any>[] = [
  roles,
  permissions,
  users,
  sessions,
  passwordResets,
  emailLinks,
  apiKeys,
  secondFactors,
  signInChallenges,
  passkeys,
  usedChallenges,
  identities,
  preferences,
  teams,
  teamMembers,
  documents,
  documentViews,
  tags,
  documentTags,
  documentRevisions,
  folders,
  contents,
  avatars,
  files,
  fileVersions,
  storageUsage,
  shares,
  trash,
  trashParts,
  conversations,
  participants,
  messages,
  receipts,
  hiddenMessages,
  notifications,
  events,
  attendees,
  reminders,
  auditLog,
  auditLinks,
  auditCheckpoints,
  auditPositions,
  sales,
  tasks,
  visits,
  visitors,
  snippets,
  checkins,
  idempotentAnswers,
  deletions,
  webhooks,
  webhookDeliveries,
  webhookPositions,
];
