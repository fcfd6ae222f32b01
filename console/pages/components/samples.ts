// What the parts show on their page: made up, and the same each time.
import type { PersonChoice } from "../../parts/field.tsx";

export interface Sample {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly status: "active" | "invited" | "suspended";
  readonly role: "admin" | "editor" | "viewer";
  /** ISO 8601. */
  readonly joinedAt: string;
  readonly documents: number;
}

const GIVEN = [
  "Ada",
  "Grace",
  "Alan",
  "Katherine",
  "Edsger",
  "Barbara",
  "Tim",
  "Radia",
  "Linus",
  "Margaret",
  "Donald",
  "Frances",
];
const FAMILY = [
  "Lovelace",
  "Hopper",
  "Turing",
  "Johnson",
  "Dijkstra",
  "Liskov",
  "Berners-Lee",
  "Perlman",
  "Hamilton",
  "Knuth",
  "Allen",
];
const STATUSES = ["active", "active", "active", "invited", "active", "suspended"] as const;
const ROLES = ["viewer", "editor", "viewer", "admin", "viewer"] as const;

export function samples(count: number): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const given = GIVEN[index % GIVEN.length]!;
    const family = FAMILY[(index * 7 + Math.floor(index / 12)) % FAMILY.length]!;
    return {
      id: `sample-${index}`,
      name: `${given} ${family}`,
      email: `${given}.${family}${index >= 12 ? index : ""}@example.com`.toLowerCase(),
      status: STATUSES[(index * 5) % STATUSES.length]!,
      role: ROLES[(index * 3) % ROLES.length]!,
      joinedAt: new Date(Date.UTC(2026, 9, 30) - index * 7_400_000).toISOString(),
      documents: (index * 37) % 1283,
    };
  });
}

/** As a server would: after a while, those whose name fits. */
export async function findPeople(search: string): Promise<PersonChoice[]> {
  await new Promise((resolve) => setTimeout(resolve, 120));
  const wanted = search.toLowerCase();
  return samples(12)
    .filter(({ name, email }) => name.toLowerCase().includes(wanted) || email.includes(wanted))
    .map(({ id, name, email }) => ({ value: id, label: name, description: email }));
}

/** A wave with some noise, so that lines look like lines. */
export function wave(length: number, base: number, swing: number, seed: number): number[] {
  return Array.from({ length }, (_, index) => {
    const noise = Math.sin(index * 12.9898 + seed * 78.233) * 43758.5453;
    const part = noise - Math.floor(noise);
    return Math.max(
      0,
      Math.round(
        base + swing * Math.sin(index / 3.2 + seed) + part * swing * 0.7 + index * base * 0.012,
      ),
    );
  });
}
