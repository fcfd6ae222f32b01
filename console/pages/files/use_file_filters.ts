// What the list of files is filtered by.
import { useMemo } from "preact/hooks";
import type { Filter } from "../../parts/list_page.tsx";
import { language } from "../../state/language.ts";
import { findPeople } from "../../state/people.ts";
import { can, user as self } from "../../state/session.ts";
import { TYPES } from "./kinds.ts";
import { texts } from "./texts.ts";

export const FILTERS = ["type", "ownerId", "isFavorite", "createdAt_gte", "createdAt_lte"];

export function useFileFilters(): readonly Filter[] {
  return useMemo(() => {
    const { fields, types, filters, yes } = texts();
    const options = TYPES.map((value) => ({ value, label: types[value] }));
    return [
      { id: "type", label: fields.type, kind: "choice", options },
      ...(can("users:view")
        ? [{
          id: "ownerId",
          label: fields.owner,
          kind: "person" as const,
          load: findPeople(),
        }]
        : []),
      {
        id: "isFavorite",
        label: fields.favorite,
        kind: "choice",
        options: [{ value: "true", label: yes }],
      },
      { id: "createdAt_gte", label: filters.createdFrom, kind: "date" },
      { id: "createdAt_lte", label: filters.createdTo, kind: "date" },
    ];
  }, [language.value, self.value]);
}
