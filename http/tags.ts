// The groups that endpoints stand in, and what the API document says of each.

export const tags = {
  Authentication: "Registering, signing in and out, and passwords.",
  "Second factors": "One-time codes and recovery codes, and proving once more who one is.",
  Passkeys: "Passkeys of one's own, and signing in by them.",
  Providers: "Signing in by a provider of OpenID Connect.",
  Sessions: "Where an account is signed in.",
  "API keys": "Keys for programs that act in a user's name.",
  Users: "People with an account, and one's own profile.",
  Roles: "Named sets of permissions.",
  Permissions: "What roles and users may be given.",
  Teams: "Groups of users who share documents and files.",
  Documents: "Texts with tags, in folders, shared with people and teams.",
  Files: "Uploaded files with their versions, shared with people and teams.",
  Folders: "The tree that files stand in.",
  Trash: "What was deleted and can be brought back.",
  Messages: "Conversations between people; only those who take part see them.",
  Notifications: "What one is told.",
  Calendar: "Events with their attendees and reminders.",
  Dashboard: "Figures, tasks and activities.",
  Events: "What changes, told as it happens.",
  Webhooks: "Addresses that are told what happens, and what became of each telling.",
  Audit: "Who did what, when and from where, and the proof of it.",
  Backups: "Copies of the whole store.",
  Snippets: "Sharing HTML, converting Markdown, and the daily check-in.",
  System: "What the server is set to, how it fares, and what it is asked.",
  Operations: "Whether the server runs, and how it fares.",
} as const;

export type Tag = keyof typeof tags;
