// The uploads: how far each is, and what can be done about it. Stays while one goes through the files.
import { Button, IconButton } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Progress } from "../../parts/progress.tsx";
import { fileSize } from "../../state/format.ts";
import {
  type Decision,
  isCutOff,
  isOver,
  pathOf,
  type Upload,
  type UploadState,
} from "./upload.ts";
import { uploadTexts } from "./upload_texts.ts";
import { uploads } from "./upload_state.ts";

const ICONS: Readonly<Record<UploadState, IconName>> = {
  waiting: "clock",
  looking: "upload",
  sending: "upload",
  asking: "warning",
  done: "success",
  failed: "error",
  cancelled: "minus",
  skipped: "minus",
};

export function UploadsPanel() {
  const said = uploadTexts();
  const items = uploads.items.value;
  if (items.length === 0) return null;
  const done = items.filter(({ state }) => state === "done").length;
  const left = items.filter((item) => !isOver(item)).length;
  const asked = items.filter(({ state }) => state === "asking").length;
  return (
    <section class="uploads" aria-label={said.title}>
      <header class="uploads-head">
        <h2>{said.title}</h2>
        <span class="muted small number" role="status">{said.status(done, items.length)}</span>
        {left > 1 && (
          <Button size="s" kind="quiet" onClick={() => uploads.cancelAll()}>
            {said.cancelAll}
          </Button>
        )}
        {left === 0 && (
          <IconButton
            icon="x"
            size="s"
            label={said.clear}
            onClick={() => uploads.clear()}
          />
        )}
      </header>
      {asked > 1 && (
        <div class="uploads-asked">
          <span class="small">{said.forAll(asked)}</span>
          <Decisions label={said.forAll(asked)} onDecided={uploads.decideAll} />
        </div>
      )}
      <ul class="uploads-list">
        {items.map((item) => <UploadItem key={item.id} item={item} />)}
      </ul>
    </section>
  );
}

function wordsOf(item: Upload): string {
  const said = uploadTexts();
  const { state, file, sent, error } = item;
  if (state === "sending") return said.sent(fileSize(sent), fileSize(file.size));
  if (state === "done") return fileSize(file.size);
  if (state === "asking") return said.exists;
  if (isCutOff(item)) return said.offline;
  if (state === "failed") return error instanceof Error ? error.message : said.failed;
  return {
    waiting: said.waiting,
    looking: said.looking,
    cancelled: said.cancelled,
    skipped: said.skipped,
  }[state];
}

function Decisions(
  { label, onDecided }: { label: string; onDecided: (decision: Decision) => void },
) {
  const said = uploadTexts();
  return (
    <span class="row" role="group" aria-label={label}>
      <Button size="s" onClick={() => onDecided("version")}>{said.version}</Button>
      <Button size="s" onClick={() => onDecided("both")}>{said.both}</Button>
      <Button size="s" kind="quiet" onClick={() => onDecided("skip")}>{said.skip}</Button>
    </span>
  );
}

function UploadItem({ item }: { item: Upload }) {
  const said = uploadTexts();
  const { id, state, sent, file } = item;
  const name = pathOf(item);
  return (
    <li class={`upload upload-${state}`}>
      <Icon name={ICONS[state]} />
      <div class="upload-words">
        <span class="cut" title={name}>{name}</span>
        {(state === "sending" || state === "looking") && (
          <Progress label={name} value={file.size > 0 ? sent / file.size : undefined} />
        )}
        <span class="muted small number">{wordsOf(item)}</span>
        {state === "asking" && (
          <Decisions
            label={name}
            onDecided={(decision) => uploads.decide(id, decision)}
          />
        )}
      </div>
      {(state === "failed" || state === "cancelled") && (
        <IconButton
          icon="refresh"
          size="s"
          label={said.retryOf(name)}
          onClick={() => uploads.retry(id)}
        />
      )}
      {!isOver(item) && state !== "asking" && (
        <IconButton
          icon="x"
          size="s"
          label={said.cancel(name)}
          onClick={() => uploads.cancel(id)}
        />
      )}
    </li>
  );
}
