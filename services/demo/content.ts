// The demo's documents, with folders, tags and shares.
import {
  type Document,
  documents,
  documentTags,
  documentViews,
  tags,
} from "../../models/documents.ts";
import { shares } from "../../models/shares.ts";
import type { People } from "./people.ts";
import { type World } from "./world.ts";
import { utf8Length } from "../../core/text.ts";
import { DAY, HOUR } from "../../core/units.ts";

/** Folder, tags, and titles with their types. */
const SHELVES: readonly [folder: string, tags: readonly string[], titles: readonly string[]][] = [
  ["/handbook", ["policy"], [
    "Welcome aboard",
    "Working hours",
    "Travel policy",
    "Security basics",
  ]],
  ["/reports", ["report", "finance"], [
    "Annual report",
    "Revenue forecast.csv",
    "Cost review",
    "Audit notes",
  ]],
  ["/reports/quarterly", ["report", "quarterly"], [
    "First quarter",
    "Second quarter",
    "Third quarter",
  ]],
  ["/product", ["planning"], ["Roadmap", "Release notes", "Interview summary", "Pricing study"]],
  ["/product/specs", ["planning", "technical"], [
    "Search",
    "Notifications",
    "Exports",
    "Import.ts",
  ]],
  ["/engineering", ["technical"], [
    "Deployment guide",
    "Incident review",
    "Style guide",
    "Backup.sh",
  ]],
  ["/sales", ["customers"], [
    "Pitch",
    "Price list.csv",
    "Reference customers",
    "Renewal checklist",
  ]],
  ["/support", ["customers"], ["Frequent questions", "Escalation path", "Satisfaction survey"]],
];

/** Titles at the root. */
const LOOSE = ["Meeting notes", "Ideas", "Reading list", "Open questions"];

const SENTENCES = [
  "This page is kept short on purpose.",
  "The numbers come from last month's figures.",
  "Talk to the owner of this page before you change it.",
  "Everything here was agreed in the last review.",
  "Two points are still open.",
  "The next step is due within two weeks.",
  "We compared three options and kept the simplest.",
  "Customers asked for this more than for anything else.",
];

export function addDocuments(world: World, people: People): void {
  const tagIds = new Map<string, string>();
  for (const name of new Set(SHELVES.flatMap(([, names]) => names))) {
    tagIds.set(name, world.add(tags, world.now - 395 * DAY, { name }).id);
  }
  const placed = [
    ...SHELVES.flatMap(([folder, names, titles]) =>
      titles.map((title) => ({ title, folder, names }))
    ),
    ...LOOSE.map((title) => ({ title, folder: undefined, names: [] })),
  ];
  const owners = [
    ...people.protagonists.filter(({ id }) => id !== people.accounts.guest.id),
    ...people.colleagues.slice(0, 8),
  ];
  placed.forEach(({ title, folder, names }, index) => {
    const owner = owners[index % owners.length]!;
    const document = addDocument(world, { title, folder, ownerId: owner.id }, index, placed.length);
    for (const name of names) {
      const tag = { documentId: document.id, tagId: tagIds.get(name)! };
      world.add(documentTags, Date.parse(document.createdAt), tag);
    }
    share(world, people, document, index);
  });
}

function addDocument(
  world: World,
  place: { title: string; folder: string | undefined; ownerId: string },
  index: number,
  total: number,
) {
  const { random } = world;
  const [title, ending] = place.title.split(".") as [string, string?];
  const content = ending ? SOURCES[ending]!(world) : prose(world, title);
  const at = world.now - (total - index) * 9 * DAY - random.int(0, 20) * HOUR;
  const document = world.add(documents, at, {
    ...place,
    content,
    type: ending === "csv" ? "spreadsheet" : ending ? "code" : "document",
    size: utf8Length(content),
  });
  world.add(documentViews, at, { id: document.id, views: random.int(1, 240) });
  return document;
}

function prose(world: World, title: string): string {
  const { random } = world;
  const section = (name: string) =>
    `## ${name}\n\n${random.sample(SENTENCES, random.int(2, 4)).join(" ")}\n`;
  const list = random.sample(SENTENCES, 3).map((sentence) => `- ${sentence}`).join("\n");
  return [`# ${title}\n`, section("Summary"), section("Details"), `## Next\n\n${list}\n`].join(
    "\n",
  );
}

/** The content of documents that are not prose, by type. */
const SOURCES: Readonly<Record<string, (world: World) => string>> = {
  csv: ({ random }) =>
    ["item,price,quantity"].concat(
      ["Basic", "Team", "Business", "Enterprise"].map((item) =>
        `${item},${random.int(9, 499)},${random.int(1, 400)}`
      ),
    ).join("\n") + "\n",
  ts: () => 'export function parseRow(line: string): string[] {\n  return line.split(",");\n}\n',
  sh: () => '#!/bin/sh\nset -eu\ntar -czf "backup-$(date +%F).tar.gz" data\n',
};

const LEVELS = ["read", "comment", "edit"] as const;

/** Every second one with someone, every fifth with a team. */
function share(
  world: World,
  people: People,
  document: Pick<Document, "id" | "ownerId" | "createdAt">,
  index: number,
) {
  const at = Date.parse(document.createdAt) + HOUR;
  const fields = {
    documentId: document.id,
    createdBy: document.ownerId,
    permission: LEVELS[index % 3]!,
  };
  if (index % 2 === 0) {
    const { user, admin } = people.accounts;
    const userId = document.ownerId === user.id ? admin.id : user.id;
    world.add(shares, at, { ...fields, userId });
  }
  if (index % 5 === 0) {
    world.add(shares, at + HOUR, {
      ...fields,
      teamId: people.teamIds[index / 5 % people.teamIds.length]!,
    });
  }
}
