// The people of the demo: three accounts to sign in with, their colleagues, and teams.
import { teamMembers, teams } from "../../models/teams.ts";
import { type User, users } from "../../models/users.ts";
import { type Stored, type World } from "./world.ts";
import { DAY, HOUR } from "../../core/units.ts";

const DOMAIN = "demo.example";
/** The password of all accounts that may sign in; printed at the start and in the documentation. */
export const DEMO_PASSWORD = "demo-quarterdeck";
/** Milliseconds from the creation of the first account to the moment that the demo is made for. */
const FIRST_ACCOUNT = 400 * DAY;

export type Person = Stored<User>;

export interface People {
  /** May sign in, one per role; the super_admin is the first administrator of the store. */
  readonly accounts: { readonly admin: Person; readonly user: Person; readonly guest: Person };
  readonly colleagues: readonly Person[];
  /** The first administrator, where there is one. */
  readonly chief: Pick<User, "id" | "name"> | null;
  /** The accounts and the chief: whoever one signs in as sees something everywhere. */
  readonly protagonists: readonly Pick<User, "id" | "name">[];
  readonly teamIds: readonly string[];
}

/** The address of a demo account. */
export function demoEmail(role: keyof People["accounts"]): string {
  return `${role}@${DOMAIN}`;
}

/** The moment a demo was made, from its first account. Milliseconds since the epoch. */
export function madeAt(admin: User): number {
  return Date.parse(admin.createdAt) + FIRST_ACCOUNT;
}

const NAMES = [
  "Amara Okafor",
  "Lukas Brandt",
  "Mei Tanaka",
  "Sofía Herrera",
  "Noah Lindqvist",
  "Priya Raman",
  "Élodie Marchand",
  "Tomasz Wójcik",
  "Hannah Weiss",
  "Omar Haddad",
  "Grace Mbeki",
  "Jonas Eriksen",
  "Chiara Rossi",
  "Daniel Novák",
  "Yuki Sato",
  "Fatima Zahra",
  "Liam O'Connor",
  "Ana Petrović",
  "Wei Zhang",
  "Ingrid Solberg",
  "Mateo Vargas",
  "Leila Farouk",
  "Samuel Adeyemi",
  "Clara Nilsson",
  "Arjun Mehta",
  "Emma de Vries",
  "Viktor Horváth",
  "Zanele Dube",
  "Pedro Almeida",
  "Ruth Abrams",
];

const DEPARTMENTS: Readonly<Record<string, readonly string[]>> = {
  Engineering: ["Software Engineer", "Site Reliability Engineer", "Engineering Manager"],
  Product: ["Product Manager", "Product Designer"],
  Sales: ["Account Executive", "Sales Manager"],
  Support: ["Support Engineer", "Support Lead"],
  Finance: ["Accountant", "Controller"],
};

const TEAMS = [
  ["Platform", "Keeps the services running", "Engineering"],
  ["Storefront", "Builds what customers see", "Product"],
  ["Field sales", "Looks after customers", "Sales"],
  ["Help desk", "Answers questions", "Support"],
] as const;

/**
 * @param passwordHash The hash for the demo accounts; colleagues have none and cannot sign in.
 */
export function addPeople(world: World, chief: People["chief"], passwordHash: string): People {
  const account = (role: keyof People["accounts"], name: string, department: string, at: number) =>
    world.add(users, at, {
      name,
      email: demoEmail(role),
      username: `demo-${role}`,
      department,
      position: department === "Finance" ? "Auditor" : "Team lead",
      role,
      permissions: [],
      status: "active",
      passwordHash,
    });
  const first = world.now - FIRST_ACCOUNT;
  const accounts = {
    admin: account("admin", "Avery Stone", "Engineering", first),
    user: account("user", "Robin Hale", "Product", first + DAY),
    guest: account("guest", "Kim Lund", "Finance", first + 2 * DAY),
  };
  const colleagues = NAMES.map((name, index) => addColleague(world, name, index));
  const everyone = [accounts.admin, accounts.user, ...colleagues];
  const protagonists = [...chief ? [chief] : [], ...Object.values(accounts)];
  const teamIds = addTeams(world, everyone, accounts);
  return { accounts, colleagues, chief, protagonists, teamIds };
}

function addColleague(world: World, name: string, index: number): Person {
  const { random } = world;
  const department = Object.keys(DEPARTMENTS)[index % Object.keys(DEPARTMENTS).length]!;
  const phone = `+1 555 01${String(index + 10).padStart(2, "0")}`;
  // The last one came this month, even on its first day; the others over the year, ever more of them.
  const age = Math.round(390 * (1 - (index / NAMES.length) ** 0.7)) * DAY;
  const month = Date.parse(world.date(0).slice(0, 7));
  const at = index === NAMES.length - 1
    ? Math.max(month, world.now - 5 * HOUR)
    : world.now - age - random.int(1, 20) * HOUR;
  const status = index % 14 === 5 ? "inactive" : index % 29 === 11 ? "suspended" : "active";
  return world.add(users, at, {
    name,
    email: `${plain(name)}@${DOMAIN}`,
    phone,
    department,
    position: random.pick(DEPARTMENTS[department]!),
    role: index % 12 === 3 ? "admin" : index % 9 === 7 ? "guest" : "user",
    permissions: [],
    status,
    lastLoginAt: status === "active"
      ? world.iso(Math.max(at, world.now - random.int(1, 9 * 24) * HOUR))
      : undefined,
  });
}

/** `Élodie Marchand` as `elodie.marchand`. */
function plain(name: string): string {
  return name.normalize("NFD").toLowerCase().replaceAll(" ", ".").replace(/[^a-z.]/g, "");
}

function addTeams(
  world: World,
  everyone: readonly Person[],
  accounts: People["accounts"],
): string[] {
  const added = TEAMS.map(([name, description, department], index) => {
    const at = world.now - (300 - 40 * index) * DAY;
    const owner = everyone.find((person) => person.department === department)!;
    const team = world.add(teams, at, { name, description, ownerId: owner.id });
    const others = everyone.filter((person) =>
      person.department === department && person !== owner
    );
    const extra = index < 2 ? [accounts.user, accounts.guest] : [];
    const members = new Set([...others, ...extra.filter((person) => person !== owner)]);
    return { team, owner, members: [...members], at };
  });
  for (const { team, owner, members, at } of added) {
    world.add(teamMembers, at, { teamId: team.id, userId: owner.id, role: "owner" });
    members.forEach((person, index) => {
      const joined = Math.max(at, Date.parse(person.createdAt)) + index * HOUR;
      const role = index === 0 ? "admin" : "member";
      world.add(teamMembers, joined, { teamId: team.id, userId: person.id, role });
    });
  }
  return added.map(({ team }) => team.id);
}
