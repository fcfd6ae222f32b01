// "Why can this person do that?", answered by the server's own rules.
import { useLocation } from "preact-iso/router";
import { explainAccess, getUser, listPermissions } from "../../../client/mod.ts";
import { Card } from "../../parts/card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { type Choice, Combobox, PersonPicker, Select, TextField } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { findPeople, personOf } from "../../state/people.ts";
import { permissionName } from "../../state/permission_names.ts";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { Chain } from "./chain.tsx";
import { type Question, questionIn, type Resource, RESOURCES, textOf } from "./question.ts";
import { recordsOf, useRecordName } from "./records.ts";
import { texts } from "./texts.ts";

export default function Access() {
  const said = texts();
  const { url, path, route } = useLocation();
  const question = questionIn(new URL(url, location.origin).searchParams);
  const { userId, permission } = question;
  const set = (change: Partial<Question>) => {
    const query = textOf({ ...question, ...change });
    route(query ? `${path}?${query}` : path, true);
  };
  const complete = userId !== "" && permission.includes(":");
  const answer = useQuery(
    ["users", "access", question],
    async (signal) => {
      const { resource, id } = question;
      const record = resource && id ? { resource, id } : {};
      const query = { userId, permission, ...record };
      return (await explainAccess({ query, signal })).data;
    },
    { enabled: complete, keep: false },
  );
  return (
    <Page title={said.title} text={said.text}>
      <div class="access-page">
        <Card>
          <div class="stack">
            <WhoField userId={userId} onChange={(next) => set({ userId: next })} />
            <PermissionField value={permission} onChange={(next) => set({ permission: next })} />
            <RecordFields question={question} onChange={set} />
          </div>
        </Card>
        <Card>
          <div aria-live="polite" aria-busy={answer.isFetching}>
            {!complete
              ? <Empty icon="shield" title={said.empty.title} text={said.empty.text} />
              : answer.data
              ? <Chain answer={answer.data} />
              : answer.error
              ? <Problem error={answer.error} retry={() => answer.refetch()} />
              : <Skeleton lines={6} />}
          </div>
        </Card>
      </div>
    </Page>
  );
}

function WhoField({ userId, onChange }: { userId: string; onChange: (id: string) => void }) {
  const person = useQuery(
    ["users", "person", userId],
    async (signal) => personOf((await getUser({ path: { id: userId }, signal })).data),
    { enabled: userId !== "", keep: false },
  );
  const value = userId === ""
    ? []
    : [person.data ?? { value: userId, label: person.isPending ? "…" : userId }];
  return (
    <PersonPicker
      label={texts().person}
      required
      value={value}
      load={findPeople()}
      onChange={([chosen]) => onChange(chosen?.value ?? "")}
    />
  );
}

function PermissionField({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const { permission, permissionText } = texts();
  if (!serves("permissions") || !can("permissions:view")) {
    return (
      <TextField
        label={permission}
        hint={permissionText}
        technical
        required
        value={value}
        onChange={onChange}
      />
    );
  }
  return (
    <Combobox
      label={permission}
      required
      value={value ? [choiceOf(value)] : []}
      onChange={([chosen]) => onChange(chosen?.value ?? "")}
      load={async (search, signal) => {
        const query = { limit: 100, sort: "name", ...(search ? { search } : {}) };
        const { data } = await listPermissions({ query, signal });
        // Asked about is what is done, one thing at a time.
        return data.map(({ name }) => name).filter((name) => !name.endsWith("*")).map(choiceOf);
      }}
    />
  );
}

function choiceOf(name: string): Choice {
  return { value: name, label: permissionName(name), description: name };
}

function RecordFields(
  { question, onChange }: { question: Question; onChange: (change: Partial<Question>) => void },
) {
  const said = texts();
  const { resource, id } = question;
  const name = useRecordName(resource, id);
  const offered = RESOURCES.filter((one) => serves(one) && can(`${one}:view`));
  if (offered.length === 0) return null;
  return (
    <>
      <Select<Resource | "">
        label={said.about}
        hint={said.aboutText}
        options={[
          { value: "", label: said.none },
          ...offered.map((value) => ({ value, label: said.resources[value] })),
        ]}
        value={resource}
        onChange={(next) => onChange({ resource: next, id: "" })}
      />
      {resource !== "" && (
        <Combobox
          key={resource}
          label={said.record}
          value={id ? [{ value: id, label: name }] : []}
          onChange={([chosen]) => onChange({ id: chosen?.value ?? "" })}
          load={recordsOf(resource)}
        />
      )}
    </>
  );
}
