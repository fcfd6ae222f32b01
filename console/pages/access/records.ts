// The records that a question can be about.
import {
  getDocument,
  getEvent,
  getFile,
  listDocuments,
  listEvents,
  listFiles,
} from "../../../client/mod.ts";
import type { Choice } from "../../parts/field.tsx";
import { date } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import type { Resource } from "./question.ts";

/** Records that are offered at a time. */
const OFFERED = 20;

type Load = (search: string, signal: AbortSignal) => Promise<readonly Choice[]>;

const LOADS: Readonly<Record<Resource, Load>> = {
  async documents(search, signal) {
    const { data } = await listDocuments({ query: asked(search), signal });
    return data.map(({ id, title, owner }) => choice(id, title, owner?.name));
  },
  async files(search, signal) {
    const { data } = await listFiles({ query: asked(search), signal });
    return data.map(({ id, name, path }) => choice(id, name, path));
  },
  async calendar(search, signal) {
    const { data } = await listEvents({ query: asked(search), signal });
    return data.map(({ id, title, start }) => choice(id, title, date(start, "dateTime")));
  },
};

export function recordsOf(resource: Resource): Load {
  return LOADS[resource];
}

function asked(search: string) {
  return { limit: OFFERED, ...(search ? { search } : {}) };
}

function choice(value: string, label: string, description?: string): Choice {
  return { value, label, ...(description ? { description } : {}) };
}

/** What a record is called; its id where it cannot be read. */
export function useRecordName(resource: Resource | "", id: string): string {
  const found = useQuery(
    [resource === "calendar" ? "events" : resource, "name", id],
    async (signal) => {
      const path = { id };
      if (resource === "documents") return (await getDocument({ path, signal })).data.title;
      if (resource === "files") return (await getFile({ path, signal })).data.name;
      return (await getEvent({ path, signal })).data.title;
    },
    { enabled: resource !== "" && id !== "", keep: false },
  );
  return found.data ?? id;
}
