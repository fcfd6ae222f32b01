// One document: its text, who may see it, and its history.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { Document } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import type { Versioned } from "../../parts/conflict.tsx";
import { Empty } from "../../parts/empty.tsx";
import type { Action } from "../../parts/menu.tsx";
import { MoreMenu } from "../../parts/more_menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { texts as sharing } from "../../parts/sharing_texts.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { number } from "../../state/format.ts";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { tried } from "../../state/use_busy.ts";
import { makeCopy, removeDocuments } from "./actions.ts";
import { TagList } from "./columns.tsx";
import { Details } from "./details.tsx";
import { documentTexts } from "./document_texts.ts";
import { Editor, Reading } from "./editor.tsx";
import { History } from "./history.tsx";
import { LeftOver } from "./left_over.tsx";
import { documentKey, readDocument, type Rights, useRights } from "./read.ts";
import { DocumentSharing } from "./sharing.tsx";
import { texts } from "./texts.ts";

interface Back {
  readonly label: string;
  readonly href: string;
}

export default function DocumentPage(
  { params }: { readonly params: Readonly<Record<string, string>> },
) {
  const { id = "" } = params;
  const back = { label: texts().title, href: "/documents" };
  const found = useQuery(documentKey(id), (signal) => readDocument(id, signal), { keep: false });
  if (found.data && !gone(found.error)) return <Found key={id} record={found.data} back={back} />;
  return (
    <Page title={texts().title} back={back}>
      {found.error
        ? (
          <>
            <Problem error={found.error} retry={() => found.refetch()} busy={found.isFetching} />
            <LeftOver id={id} />
          </>
        )
        : (
          <Card>
            <Skeleton lines={12} />
          </Card>
        )}
    </Page>
  );
}

/** Deleted meanwhile, or no longer shared. What only did not arrive leaves the text where it is. */
function gone(error: { readonly status: number } | null): boolean {
  return error !== null && [403, 404].includes(error.status);
}

type Opened =
  | { readonly kind: "share" | "history" }
  | { readonly kind: "details"; readonly record: Versioned<Document> };

function Found({ record, back }: { readonly record: Versioned<Document>; readonly back: Back }) {
  const document = record.data;
  const said = documentTexts();
  const rights = useRights(document);
  const [opened, open] = useState<Opened | null>(null);
  const close = () => open(null);
  return (
    <Page
      title={document.title}
      back={back}
      mark={document.shared
        ? <Badge tone="accent" icon="teams">{texts().shared}</Badge>
        : undefined}
      text={<Facts document={document} />}
      actions={
        <>
          {rights.own && serves("documentShares") && (
            <Button
              icon="share"
              onClick={() => open({ kind: "share" })}
            >
              {sharing().add}
            </Button>
          )}
          <Button icon="history" onClick={() => open({ kind: "history" })}>
            {said.history.action}
          </Button>
          <More
            document={document}
            rights={rights}
            onDetails={() =>
              tried(async () => open({ kind: "details", record: await readDocument(document.id) }))}
          />
        </>
      }
    >
      {rights.edit
        ? <Editor record={record} paused={opened !== null} />
        : <ReadOnly document={document} />}
      {opened?.kind === "share" && <DocumentSharing document={document} onClose={close} />}
      {opened?.kind === "history" && (
        <History
          document={document}
          rights={rights}
          onClose={close}
        />
      )}
      {opened?.kind === "details" && (
        <Details record={opened.record} rights={rights} onClose={close} />
      )}
    </Page>
  );
}

function ReadOnly({ document: { id, type, content } }: { readonly document: Document }) {
  const { empty, emptyText } = documentTexts().edit;
  return (
    <>
      <LeftOver id={id} />
      <Card>
        {content.trim() === ""
          ? <Empty icon="documents" title={empty} text={emptyText} />
          : <Reading type={type} source={content} />}
      </Card>
    </>
  );
}

function Facts({ document }: { readonly document: Document }) {
  const { facts } = documentTexts();
  const { owner, updatedAt, views, folder, tags } = document;
  return (
    <span class="document-facts">
      {owner && <span>{facts.by(owner.name)}</span>}
      <span>
        {facts.changed} <Time at={updatedAt} />
      </span>
      <span class="number">{facts.views(views, number(views))}</span>
      {folder && <span class="mono" dir="ltr">{folder}</span>}
      {tags.length > 0 && <TagList names={tags.map(({ name }) => name)} />}
    </span>
  );
}

interface MoreProps {
  readonly document: Document;
  readonly rights: Rights;
  readonly onDetails: () => unknown;
}

function More({ document: { id }, rights, onDetails }: MoreProps) {
  const said = texts();
  const { route } = useLocation();
  const items: Action[] = [];
  if (rights.edit) {
    items.push({ label: documentTexts().details.action, icon: "edit", run: onDetails });
  }
  if (can("documents:create")) {
    const run = () => makeCopy(id, (copy) => route(`/documents/${copy}`));
    items.push({ label: said.copy, icon: "copy", run });
  }
  if (rights.own && can("documents:delete")) {
    const run = async () => {
      const outcome = await removeDocuments([id]);
      if (outcome?.done.includes(id)) route("/documents");
    };
    items.push({ label: said.delete, icon: "trash", danger: true, parted: true, run });
  }
  return <MoreMenu items={items} />;
}
