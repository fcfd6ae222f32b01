// The records that `?include=` shows with others: people, teams and folders, as far as the caller may see them.
import { z } from "zod";
import { folders } from "../models/folders.ts";
import { person } from "../models/requests.ts";
import { teams } from "../models/teams.ts";
import { doomedFolders } from "../services/access/doomed.ts";
import { personsById } from "../services/access/persons.ts";
import { visibleTeams } from "../services/access/teams.ts";
import { folderPaths, reachesFoldersOf } from "../services/content/folders.ts";
import type { Reference } from "./endpoint.ts";

/** Who is named by a record is known by name to all who see the record. */
export function personIn(from: string): Reference {
  return { from, schema: person, load: ({ store }, ids) => personsById(store, ids) };
}

const teamName = z.object({
  id: z.string(),
  name: z.string(),
  avatar: z.string().optional(),
}).meta({ id: "TeamName" });

/** A team that the caller is in, or manages. */
export function teamIn(from: string): Reference {
  return {
    from,
    schema: teamName,
    async load({ store, principal }, ids) {
      const seen = await visibleTeams(store, principal);
      const limit = Math.max(ids.length, 1);
      const { rows } = await store.from(teams).list({
        where: { all: [{ id: ids }, seen] },
        limit,
      });
      return new Map(rows.map((team) => [team.id, team]));
    },
  };
}

const folderPlace = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
}).meta({ id: "FolderPlace" });

/** A folder of the caller's own, or any for those who manage files. */
export function folderIn(from: string): Reference {
  return {
    from,
    schema: folderPlace,
    async load({ store, principal }, ids) {
      const doomed = await doomedFolders(store);
      const found = await store.from(folders).getMany(ids);
      const seen = found.filter((folder) => folder !== null)
        .filter(({ id, ownerId }) => !doomed.has(id) && reachesFoldersOf(principal, ownerId));
      const paths = await folderPaths(store, seen.map(({ id }) => id));
      return new Map(
        seen.map(({ id, name }) => [id, { id, name, path: paths.get(id) ?? `/${name}` }]),
      );
    },
  };
}
