// Snippets: one's own, and for administrators all.
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import {
  createSnippet,
  type CreateSnippetRequest,
  deleteSnippet,
  listSnippets,
  type SnippetSummary,
} from "../../../client/mod.ts";
import { confirm } from "../../parts/dialog.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { RadioGroup, TextArea } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { listed, ListPage, loadList } from "../../parts/list_page.tsx";
import type { Action } from "../../parts/menu.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import { fileSize } from "../../state/format.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

export default function SnippetsPage() {
  const said = texts();
  const state = useListState({ sort: "-createdAt" });
  const selection = useSignal<Selection>(NOTHING);
  const [creating, setCreating] = useState(false);
  const snippets = useQuery(
    ["snippets", state.query, state.limit],
    (signal) => loadList(state, (query) => listSnippets({ query, signal })),
  );
  const columns = useMemo(columnsOf, [said]);
  const remove = async (ids: readonly string[]) => {
    const title = said.deleteTitle(ids.length);
    const question = { title, text: said.deleteText, action: said.delete, danger: true };
    if (!await confirm(question)) return;
    try {
      for (const id of ids) await deleteSnippet({ path: { id } });
      toast({ text: said.deleted });
    } catch (error) {
      toast({ kind: "error", text: (error as Error).message });
    }
    selection.value = NOTHING;
    refresh("snippets");
  };
  return (
    <>
      <ListPage<SnippetSummary>
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
        create={{ label: said.create, run: () => setCreating(true) }}
        empty={{ icon: "share", title: said.none, text: said.noneText }}
      />
      {creating && <Create onClose={() => setCreating(false)} />}
    </>
  );
}

function actionsOf(
  { id, url }: SnippetSummary,
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

function columnsOf(): Column<SnippetSummary>[] {
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
      csv: ({ language }) => language,
    },
    {
      id: "owner",
      title: said.owner,
      width: "12rem",
      render: ({ userId, anonymous }) => (
        <span class="cut muted">{anonymous ? said.anonymous : userId}</span>
      ),
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
          options={(["markdown", "html"] as const).map((value) => ({
            value,
            label: said.languages[value],
          }))}
        />
        <TextArea {...form.field("content")} label={said.content} rows={16} required autofocus />
      </Form>
    </Drawer>
  );
}
