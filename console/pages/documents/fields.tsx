// The fields that documents are described by.
import { type Bound } from "../../parts/form.tsx";
import { Select, TagsField, TextField } from "../../parts/field.tsx";
import { listTeams } from "../../../client/mod.ts";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { texts } from "./texts.ts";

/** As the server has it: tags of a document, characters of one. */
const MOST_TAGS = 50;
const LONGEST_TAG = 50;

/** Teams that are offered. */
const TEAMS = 100;

/** The teams that one sees; empty where there are none to choose. */
export function useTeams() {
  const enabled = serves("teams") && can("teams:view");
  const found = useQuery(
    ["teams", "choices"],
    async (signal) => (await listTeams({ query: { limit: TEAMS, sort: "name" }, signal })).data,
    { enabled },
  );
  return found.data ?? [];
}

export function FolderField(
  props: Bound<string> & { readonly autofocus?: boolean },
) {
  const { fields, folderHint } = texts();
  return (
    <TextField
      {...props}
      label={fields.folder}
      hint={folderHint}
      technical
      autocomplete="off"
      maxLength={500}
    />
  );
}

export function TagNames(
  props: Omit<Bound<readonly string[]>, never> & { readonly required?: boolean },
) {
  const { fields, tagsHint } = texts();
  return (
    <TagsField
      {...props}
      label={fields.tags}
      hint={tagsHint}
      most={MOST_TAGS}
      longest={LONGEST_TAG}
    />
  );
}

/** Shown only where there are teams. */
export function TeamField(props: Bound<string>) {
  const { fields, teamHint, noTeam } = texts();
  const teams = useTeams();
  if (teams.length === 0 && props.value === "") return null;
  const known = teams.some(({ id }) => id === props.value);
  return (
    <Select
      {...props}
      label={fields.team}
      hint={teamHint}
      options={[
        { value: "", label: noTeam },
        ...teams.map(({ id, name }) => ({ value: id, label: name })),
        ...(known || props.value === "" ? [] : [{ value: props.value, label: props.value }]),
      ]}
    />
  );
}
