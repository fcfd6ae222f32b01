// Snippets: one's own, and for administrators all.
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import {
  createSnippet,
  type CreateSnippetRequest,
  deleteSnippet,
  listSnippets,
} from "../../../client/mod.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { RadioGroup, TextArea } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { Person } from "../../parts/person.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { texts as common } from "../../parts/texts.ts";
import { Time } from "../../parts/time.tsx";
import { useBulkDeeds } from "../../parts/use_bulk_deeds.tsx";
import { useListState } from "../../state/address.ts";
import { alone } from "../../state/batches.ts";
import { fileSize } from "../../state/format.ts";
import { findPeople } from "../../state/people.ts";
import { serves } from "../../state/place.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { can, user } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const LANGUAGES = ["markdown", "html"] as const;

const FILTERS = ["language", "userId", "anonymous", "createdAt_gte", "createdAt_lte"];

/** With who shared it. */
const read = (query: object, signal?: AbortSignal) =>
  listSnippets({ query: { ...query, include: ["owner"] }, signal });

type Snippet = Awaited<ReturnType<typeof read>>["data"][number];

const deleteMany = alone((id) => deleteSnippet({ path: { id } }));

export default function SnippetsPage() {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const selection = useSignal<Selection>(NOTHING);
  const [creating, setCreating] = useState(false);
  const snippets = useQuery(
    ["snippets", state.query, state.limit],
    (signal) => loadList(state, (query) => read(query, signal)),
  );
  const columns = useMemo(columnsOf, [said]);
  const filters = useMemo(filtersOf, [said, user.value]);
  const deeds = useBulkDeeds(
    selection,
    (id) => snippets.data?.rows.find((snippet) => snippet.id === id)?.url,
  );
  const remove = (ids: readonly string[]) => {
    const title = said.deleteTitle(ids.length);
    const question = { title, text: said.deleteText, action: said.delete, danger: true };
    const deed = { bulk: deleteMany, question, told: said.deleted, touches: ["snippets"] };
    return deeds.carryOut(deed, ids);
  };
  return (
    <>
      <ListPage<Snippet>
        {...listed(snippets)}
        list="snippets"
        title={said.title}
        text={said.text}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        selection={selection}
        onOpen={({ url }) => void open(url, "_blank", "noopener")}
        rowActions={(row) => actionsOf(row, remove)}
        bulkActions={(ids) => [
          { label: said.delete, icon: "trash", danger: true, run: () => remove(ids) },
        ]}
        filters={filters}
        exporting={{ name: "snippets", read }}
        create={{ label: said.create, run: () => setCreating(true) }}
        empty={{ icon: "share", title: said.none, text: said.noneText }}
      />
      {creating && <Create onClose={() => setCreating(false)} />}
      {deeds.dialogs}
    </>
  );
}

/** Whether one is shown those of others too, as the server has it. */
const seesAll = () => can("snippets:view", "documents:*");

function filtersOf(): readonly Filter[] {
  const said = texts();
  const filters: Filter[] = [
    {
      id: "language",
      label: said.language,
      kind: "choice",
      options: LANGUAGES.map((value) => ({ value, label: said.languages[value] })),
    },
    { id: "createdAt_gte", label: said.madeFrom, kind: "date" },
    { id: "createdAt_lte", label: said.madeTo, kind: "date" },
  ];
  if (!seesAll()) return filters;
  const options = [{ value: "true", label: common().yes }, { value: "false", label: common().no }];
  filters.push({ id: "anonymous", label: said.anonymous, kind: "choice", options });
  if (serves("users") && can("users:view")) {
    filters.push({ id: "userId", label: said.owner, kind: "person", load: findPeople() });
  }
  return filters;
}

function actionsOf(
  { id, url }: Snippet,
  remove: (ids: readonly string[]) => unknown,
): Action[] {
  const said = texts();
  return [
    { label: said.open, icon: "external", run: () => void open(url, "_blank", "noopener") },
    {
      label: said.copy,
      icon: "copy",
      run: async () => {
        await navigator.clipboard.writeText(new URL(url, location.origin).href);
        toast({ text: said.copied });
      },
    },
    { label: said.delete, icon: "trash", danger: true, parted: true, run: () => remove([id]) },
  ];
}

function columnsOf(): Column<Snippet>[] {
  const said = texts();
  return [
    {
      id: "url",
      title: said.link,
      render: ({ url }) => <span class="mono cut">{url}</span>,
      csv: ({ url }) => url,
    },
    {
      id: "language",
      title: said.language,
      width: "9rem",
      render: ({ language }) => said.languages[language],
      csv: ({ language }) => said.languages[language],
    },
    {
      id: "owner",
      title: said.owner,
      width: "12rem",
      render: (snippet) => <Owner {...snippet} />,
      csv: ({ owner, userId }) => owner?.name ?? userId,
    },
    {
      id: "size",
      title: said.size,
      width: "7rem",
      align: "end",
      render: ({ size }) => fileSize(size),
      csv: ({ size }) => size,
    },
    {
      id: "createdAt",
      title: said.made,
      sortable: true,
      width: "9rem",
      render: ({ createdAt }) => <Time at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
    {
      id: "expiresAt",
      title: said.expires,
      width: "9rem",
      render: ({ expiresAt }) => expiresAt ? <Time at={expiresAt} /> : said.never,
      csv: ({ expiresAt }) => expiresAt,
    },
  ];
}

function Owner({ owner, userId, anonymous }: Snippet) {
  if (!owner) return <span class="cut muted">{anonymous ? texts().anonymous : userId}</span>;
  const href = serves("users") && can("users:view") ? `/users/${owner.id}` : undefined;
  return <Person name={owner.name} src={owner.avatar} size="s" href={href} />;
}

function Create({ onClose }: { readonly onClose: () => void }) {
  const said = texts();
  const form = useForm({
    initial: {
      content: "",
      language: "markdown" as NonNullable<CreateSnippetRequest["language"]>,
    },
    async submit(body) {
      await createSnippet({ body });
      toast({ text: said.created });
      refresh("snippets");
      onClose();
    },
  });
  return (
    <Drawer
      title={said.createTitle}
      open
      size="l"
      onClose={onClose}
      footer={<FormActions form={form} for="snippet-form" label={said.share} onCancel={onClose} />}
    >
      <Form form={form} id="snippet-form">
        <RadioGroup
          {...form.field("language")}
          label={said.language}
          options={LANGUAGES.map((value) => ({ value, label: said.languages[value] }))}
        />
        <TextArea {...form.field("content")} label={said.content} rows={16} required autofocus />
      </Form>
    </Drawer>
  );
}
