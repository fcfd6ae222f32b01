// Records from CSV: a file is tried first, and written once people have seen what would happen.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ImportOutcome } from "../../client/mod.ts";
import { fileSize } from "../state/format.ts";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { csvOf, download } from "./csv.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { ImportReport } from "./import_report.tsx";
import { importTexts } from "./import_texts.ts";
import { Notice } from "./problem.tsx";
import { Progress } from "./progress.tsx";
import { texts } from "./texts.ts";

/** Bytes of a file, at most: what the server takes. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface ImportDialogProps {
  title: string;
  text: string;
  /** An empty table for those who begin with none: the name of its file, and its columns. */
  template: { readonly name: string; readonly columns: readonly string[] };
  /** What the button says that writes so many records. */
  submit: (count: number) => string;
  /** @param dryRun Whether it only tells what would happen. */
  send: (content: string, dryRun: boolean) => Promise<ImportOutcome>;
  /** Called once all is written. */
  onDone: (outcome: ImportOutcome) => void;
  onClose: () => void;
  /** Fields that say how it is done. */
  options?: ComponentChildren;
  /** What they say: whenever it is another, the file is tried anew. */
  choice?: string;
  /** Whether rows may change records that are there. @default false */
  updates?: boolean;
}

export function ImportDialog(
  { title, text, template, submit, send, onDone, onClose, options, choice = "", updates = false }:
    ImportDialogProps,
) {
  const said = importTexts();
  const [file, setFile] = useState<File | null>(null);
  const [outcome, setOutcome] = useState<ImportOutcome | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState<"checking" | "importing" | null>(null);
  const turn = useRef(0);

  const run = async (content: File, dryRun: boolean) => {
    const mine = ++turn.current;
    setProblem(null);
    setBusy(dryRun ? "checking" : "importing");
    try {
      const told = await send(await textOf(content), dryRun);
      // Another file or another choice was made meanwhile.
      if (mine !== turn.current) return;
      setOutcome(told);
      if (!dryRun && told.errorCount === 0) onDone(told);
    } catch (error) {
      if (mine !== turn.current) return;
      setOutcome(null);
      setProblem((error as Error).message);
    } finally {
      if (mine === turn.current) setBusy(null);
    }
  };
  useEffect(() => {
    turn.current++;
    setOutcome(null);
    if (!file) return;
    if (file.size > MOST_BYTES) setProblem(said.tooLarge);
    else void run(file, true);
  }, [file, choice]);

  const count = outcome ? outcome.created + outcome.updated : 0;
  const ready = outcome !== null && outcome.errorCount === 0 && count > 0;
  return (
    <Dialog
      open
      size="l"
      title={title}
      text={text}
      onClose={() => busy !== "importing" && onClose()}
      footer={
        <>
          <Button onClick={onClose}>{texts().cancel}</Button>
          <Button
            kind="primary"
            disabled={!ready}
            busy={busy === "importing"}
            onClick={() => void run(file!, false)}
          >
            {ready ? submit(count) : said.action}
          </Button>
        </>
      }
    >
      <div class="stack">
        <FileChoice file={file} template={template} onChoose={setFile} />
        {options && <div class="stack stack-tight">{options}</div>}
        <div role="status">
          {busy && <Progress label={said[busy]} shown />}
          {problem !== null && <Notice tone="error">{problem}</Notice>}
        </div>
        {outcome && <ImportReport outcome={outcome} updates={updates} />}
      </div>
    </Dialog>
  );
}

/** @throws What to tell whoever chose a file in another encoding: its letters would be lost. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(importTexts().notUtf8);
  }
}

interface FileChoiceProps {
  readonly file: File | null;
  readonly template: { readonly name: string; readonly columns: readonly string[] };
  readonly onChoose: (file: File) => void;
}

function FileChoice({ file, template, onChoose }: FileChoiceProps) {
  const said = importTexts();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  return (
    <div
      class={classes("drop", over && "drop-over")}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const dropped = event.dataTransfer?.files[0];
        if (dropped) onChoose(dropped);
      }}
    >
      <Icon name={file ? "file-text" : "upload"} size={20} />
      <div class="drop-words">
        {file && (
          <span class="strong cut">
            {file.name} <span class="muted">{fileSize(file.size)}</span>
          </span>
        )}
        <span class="row">
          <Button size="s" onClick={() => input.current?.click()}>
            {file ? said.another : said.choose}
          </Button>
          {!file && <span class="muted">{said.drop}</span>}
        </span>
      </div>
      {!file && (
        <Button
          size="s"
          kind="quiet"
          icon="download"
          onClick={() => download(template.name, csvOf(template.columns, []))}
        >
          {said.template}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,text/csv"
        aria-label={said.choose}
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          // The same file can be chosen again once it is mended.
          event.currentTarget.value = "";
          if (chosen) onChoose(chosen);
        }}
      />
    </div>
  );
}
