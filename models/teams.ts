// Teams and their members.
import { z } from "zod";
import { listQuery } from "./list_query.ts";
import { collection, type RecordOf, timestamp } from "./collection.ts";
import { eitherCase, label, removable } from "./requests.ts";

export const teams = collection("teams", {
  name: z.string(),
  description: z.string().optional(),
  avatar: z.string().optional(),
  ownerId: z.string(),
}, {
  traits: ["ownerId"],
  filter: ["ownerId"],
  sort: ["name"],
  search: ["name", "description"],
  references: { ownerId: "users" },
  audit: (team) => team.name,
  audited: ["name", "description", "ownerId"],
});

export type Team = RecordOf<typeof teams>;

export const teamRole = z.enum(["owner", "admin", "member"]);

/** `createdAt` is when the member joined. */
export const teamMembers = collection("teamMembers", {
  teamId: z.string(),
  userId: z.string(),
  role: teamRole,
}, {
  traits: ["teamId", "userId"],
  unique: { member: ["teamId", "userId"] },
  filter: ["teamId", "userId", "role"],
  references: { teamId: "teams", userId: "users" },
});

export type TeamMember = RecordOf<typeof teamMembers>;

export const publicTeam = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  avatar: z.string().optional(),
  ownerId: z.string(),
  memberCount: z.number().int(),
  members: z.array(z.object({
    userId: z.string(),
    name: z.string(),
    email: z.string().optional().meta({ description: "For those who may see users; one's own" }),
    avatar: z.string().optional(),
    role: teamRole,
    joinedAt: timestamp,
  })),
  createdAt: timestamp,
  updatedAt: timestamp,
}).meta({ id: "Team" });

export type PublicTeam = z.input<typeof publicTeam>;

const id = z.string().min(1).max(128);

const profile = {
  description: removable(z.string().trim().max(2000)),
  avatar: removable(
    z.string().trim().max(2000).regex(/^(https?:\/\/|\/)/, "must be a URL or a path"),
  ),
};

export const teamCreation = z.object({ name: label, ...profile });

export const teamUpdate = z.object({
  name: label.optional(),
  ...profile,
  /** Id of the new owner, to hand the team over. */
  ownerId: id.optional(),
});

/** Never `owner`: a team has one owner, who is replaced only by handing the team over. */
const givenRole = eitherCase(teamRole.exclude(["owner"]));

export const memberAddition = z.object({ userId: id, role: givenRole.default("member") });

export const memberUpdate = z.object({ role: givenRole });

export const teamListQuery = listQuery(teams);
