// One file: what is in it, its versions, and who sees it.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import {
  type File as FileShown,
  getFile,
  type Person as PersonShown,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Code } from "../../parts/code.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Person } from "../../parts/person.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { Time } from "../../parts/time.tsx";
import { fileSize, number } from "../../state/format.ts";
import { serves } from "../../state/place.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { useFileDialogs } from "./dialogs.tsx";
import { fileTexts } from "./file_texts.ts";
import { downloadOne, fileActions } from "./file_actions.ts";
import { addressOf } from "./places.ts";
import { Preview } from "./preview.tsx";
import { mayShare, owns } from "./rights.ts";
import { texts } from "./texts.ts";
import { UploadsPanel } from "./uploads_panel.tsx";
import { Versions } from "./versions.tsx";

type Shown = FileShown & {
  readonly owner?: PersonShown;
  readonly folder?: { readonly id: string; readonly name: string };
};

interface Back {
  readonly label: string;
  readonly href: string;
}

export default function FilePage({ params }: { params: Readonly<Record<string, string>> }) {
  const { id = "" } = params;
  const said = texts();
  const [gone, setGone] = useState(false);
  const found = useQuery<Shown>(["files", "one", id], async (signal) => {
    const { data } = await getFile({
      path: { id },
      query: { include: ["owner", "folder"] },
      signal,
    });
    return data;
  }, { keep: false, enabled: !gone });
  const file = found.data;
  const back: Back = file?.folder
    ? { label: file.folder.name, href: addressOf(file.folder.id) }
    : { label: said.title, href: "/files" };
  if (file && !gone) return <Found key={id} file={file} back={back} onGone={() => setGone(true)} />;
  return (
    <Page title={said.title} back={back}>
      {found.error
        ? <Problem error={found.error} retry={() => found.refetch()} busy={found.isFetching} />
        : (
          <div class="file-page">
            <Card>
              <Skeleton block="24rem" />
            </Card>
            <Card title={fileTexts().facts}>
              <Skeleton lines={7} />
            </Card>
          </div>
        )}
    </Page>
  );
}

function Found({ file, back, onGone }: { file: Shown; back: Back; onGone: () => void }) {
  const said = texts();
  const { route } = useLocation();
  const { ask, dialog } = useFileDialogs();
  const actions = fileActions(file, {
    ask,
    onDeleted: () => {
      onGone();
      route(back.href);
    },
  });
  // What has a button of its own is not in the menu.
  const others = actions.filter(({ icon }) => icon !== "download" && icon !== "share");
  return (
    <Page
      title={file.name}
      back={back}
      actions={
        <>
          {mayShare(file) && (
            <Button icon="share" onClick={() => ask({ kind: "share", file })}>
              {said.actions.share}
            </Button>
          )}
          <Menu label={common().more} items={others} align="end" />
          <Button kind="primary" icon="download" onClick={() => void downloadOne(file.id)}>
            {said.actions.download}
          </Button>
        </>
      }
    >
      <div class="file-page">
        <div class="stack">
          <Card class="file-preview">
            <Preview key={`${file.id} ${file.version}`} file={file} />
          </Card>
          {serves("fileVersions") && <Versions file={file} />}
        </div>
        <Facts file={file} />
      </div>
      {dialog}
      <UploadsPanel />
    </Page>
  );
}

function Facts({ file }: { file: Shown }) {
  const { fields, types, noFolder } = texts();
  const { owner, folder } = file;
  return (
    <Card title={fileTexts().facts}>
      <dl class="facts facts-narrow">
        <dt>{fields.type}</dt>
        <dd>{types[file.type]}</dd>
        <dt>{fields.mimeType}</dt>
        <dd>{file.mimeType}</dd>
        <dt>{fields.size}</dt>
        <dd class="number">{fileSize(file.size)}</dd>
        <dt>{fields.version}</dt>
        <dd class="number">{number(file.version)}</dd>
        {owner && (
          <>
            <dt>{fields.owner}</dt>
            <dd>
              <Person
                name={owner.name}
                src={owner.avatar}
                size="s"
                href={can("users:view") ? `/users/${owner.id}` : undefined}
              />
            </dd>
          </>
        )}
        {owns(file) && (
          <>
            <dt>{fields.folder}</dt>
            <dd>
              {folder ? <a href={addressOf(folder.id)}>{folder.name}</a> : noFolder}
            </dd>
          </>
        )}
        <dt>{fields.createdAt}</dt>
        <dd>
          <Time at={file.createdAt} style="dateTime" />
        </dd>
        <dt>{fields.updatedAt}</dt>
        <dd>
          <Time at={file.updatedAt} />
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <Code text={file.sha256} label={`${common().copy}: SHA-256`} />
        </dd>
      </dl>
    </Card>
  );
}
