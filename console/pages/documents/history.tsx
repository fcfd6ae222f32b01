// The history of a document: who changed what, what it was, and how to make it that again.
import { useState } from "preact/hooks";
import {
  deleteDocumentRevision,
  type Document,
  getDocumentRevision,
  listDocumentRevisions,
  restoreDocumentRevision,
  type RevisionSummary,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Select } from "../../parts/field.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { date, listed, number } from "../../state/format.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried, useBusy } from "../../state/use_busy.ts";
import { DiffView } from "./diff_view.tsx";
import { documentTexts } from "./document_texts.ts";
import type { Rights } from "./read.ts";

/** As the server keeps, at most, in one answer. */
const MOST = 100;

/** A version: the number of a revision, or what the document is now. */
type Version = string;
const NOW: Version = "now";

interface HistoryProps {
  readonly document: Document;
  readonly rights: Rights;
  readonly onClose: () => void;
}

export function History({ document, rights, onClose }: HistoryProps) {
  const said = documentTexts().history;
  const { id } = document;
  const found = useQuery(
    ["documents", "revisions", id],
    async (signal) =>
      (await listDocumentRevisions({ path: { id }, query: { limit: MOST }, signal })).data,
  );
  const revisions = found.data;
  return (
    <Drawer open size="l" title={said.title} text={said.text} onClose={onClose}>
      {found.error && !revisions
        ? <Problem error={found.error} retry={() => found.refetch()} busy={found.isFetching} />
        : !revisions
        ? <Skeleton rows={5} />
        : revisions.length === 0
        ? <Empty icon="history" title={said.none} text={said.noneText} />
        : <Versions document={document} rights={rights} revisions={revisions} />}
    </Drawer>
  );
}

interface VersionsProps {
  readonly document: Document;
  readonly rights: Rights;
  /** The newest first. */
  readonly revisions: readonly RevisionSummary[];
}

function Versions({ document, rights, revisions }: VersionsProps) {
  const said = documentTexts().history;
  const [chosen, choose] = useState<readonly [from: Version, to: Version] | null>(null);
  const names = revisions.map(({ revision }) => String(revision));
  const after = (version: Version) => names[names.indexOf(version) - 1] ?? NOW;
  const newest = names[0]!;
  const [from, to] = chosen && names.includes(chosen[0]) &&
      (chosen[1] === NOW || names.includes(chosen[1]))
    ? chosen
    : [newest, NOW] as const;
  const options = [
    { value: NOW, label: said.now },
    ...revisions.map(({ revision, changedAt }) => ({
      value: String(revision),
      label: `${said.version(number(revision))} · ${date(changedAt, "dateTime")}`,
    })),
  ];
  return (
    <div class="stack">
      <ol class="versions" aria-label={said.changes} reversed>
        {revisions.map((revision) => {
          const name = String(revision.revision);
          return (
            <li key={name}>
              <button
                type="button"
                class="version"
                aria-pressed={from === name}
                onClick={() => choose([name, after(name)])}
              >
                <span class="strong cut">{revision.changedBy?.name ?? said.somebody}</span>
                <span class="muted cut">
                  {listed(revision.changed.map((field) => said.changed[field]))}
                </span>
                <span class="muted small">
                  <Time at={revision.changedAt} />
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      <div class="version-choice">
        <Select
          label={said.from}
          size="s"
          value={from}
          options={options.slice(1)}
          onChange={(next) => choose([next, to])}
        />
        <Select
          label={said.to}
          size="s"
          value={to}
          options={options}
          onChange={(next) => choose([from, next])}
        />
        <VersionActions document={document} rights={rights} version={from} />
      </div>
      <Difference document={document} from={from} to={to} />
    </div>
  );
}

function VersionActions(
  { document: { id }, rights, version }: Pick<VersionsProps, "document" | "rights"> & {
    readonly version: Version;
  },
) {
  const said = documentTexts().history;
  const { busy, run } = useBusy();
  const path = { id, revision: version };
  const restore = async () => {
    const question = {
      title: said.restoreTitle(version),
      text: said.restoreText,
      action: said.restore,
    };
    if (!await confirm(question)) return;
    await run(async () => {
      await restoreDocumentRevision({ path });
      toast({ text: said.restored(version) });
      refresh("documents", "dashboard");
    });
  };
  const remove = async () => {
    const question = {
      title: said.removeTitle(version),
      text: said.removeText,
      action: said.remove,
      danger: true,
    };
    if (!await confirm(question)) return;
    await tried(async () => {
      await deleteDocumentRevision({ path });
      toast({ text: said.removed(version) });
      refresh("documents");
    });
  };
  return (
    <span class="row">
      {rights.edit && (
        <Button size="s" icon="restore" busy={busy} onClick={() => void restore()}>
          {said.restore}
        </Button>
      )}
      {rights.own && can("documents:delete") && (
        <Button
          size="s"
          kind="quiet"
          icon="trash"
          onClick={() => void remove()}
        >
          {said.remove}
        </Button>
      )}
    </span>
  );
}

interface Compared {
  readonly title: string;
  readonly content: string;
}

/** A version that is no longer the present one never changes. */
function useVersion(document: Document, version: Version) {
  const { id } = document;
  const past = useQuery<Compared>(
    ["documents", "revision", id, version],
    async (signal) => (await getDocumentRevision({ path: { id, revision: version }, signal })).data,
    { enabled: version !== NOW, keep: false },
  );
  return version === NOW ? { data: document as Compared, error: null, refetch: () => {} } : past;
}

function Difference(
  { document, from, to }: {
    readonly document: Document;
    readonly from: Version;
    readonly to: Version;
  },
) {
  const said = documentTexts().history;
  const before = useVersion(document, from), after = useVersion(document, to);
  const error = before.error ?? after.error;
  if (error) {
    const retry = () => void (before.refetch(), after.refetch());
    return <Problem compact error={error} retry={retry} />;
  }
  if (!before.data || !after.data) return <Skeleton lines={6} />;
  return (
    <div class="stack stack-tight">
      {before.data.title !== after.data.title && (
        <p>{said.titleWas(before.data.title, after.data.title)}</p>
      )}
      <DiffView before={before.data.content} after={after.data.content} />
    </div>
  );
}
