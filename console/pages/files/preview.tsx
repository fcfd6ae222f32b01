// What is in a file, as far as the browser can show it and nothing in it can run.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { createFileLink, downloadFile, type File as FileShown } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { fileSize } from "../../state/format.ts";
import { useBusy } from "../../state/use_busy.ts";
import { hasThumbnail, iconOf, previewOf } from "./kinds.ts";
import { fileTexts } from "./file_texts.ts";

interface Previewed {
  file: FileShown;
}

export function Preview({ file }: Previewed) {
  const said = fileTexts().preview;
  switch (previewOf(file)) {
    case "image":
      return <Picture file={file} />;
    case "video":
    case "audio":
      return <Player file={file} />;
    case "text":
      return <Text file={file} />;
    case "pdf":
      return <Pdf file={file} />;
    case "none":
      return <Empty icon={iconOf(file)} title={said.none} text={said.noneText} />;
  }
}

/** Seconds for which a player can go on: as long as a long film. */
const PLAYED_FOR = 6 * 3600;

/** Reads once what a preview needs, and again when it is asked to. */
function useOnce<T>(read: () => Promise<T>) {
  const [value, setValue] = useState<T | undefined>();
  const [error, setError] = useState<unknown>();
  const [tries, tryAgain] = useState(0);
  useEffect(() => {
    let current = true;
    setError(undefined);
    read().then((found) => current && setValue(found), (thrown) => current && setError(thrown));
    return () => void (current = false);
  }, [tries]);
  return {
    value,
    fail: setError,
    waiting: error === undefined ? null : (
      <Problem
        error={error}
        retry={() => {
          setValue(undefined);
          tryAgain(tries + 1);
        }}
      />
    ),
  };
}

/** An address that needs no token, for what the browser reads by itself. */
async function addressOf({ id }: FileShown): Promise<string> {
  const body = { expiresIn: PLAYED_FOR, disposition: "inline" as const };
  const { data } = await createFileLink({ path: { id }, body });
  return data.url;
}

function Frame({ children }: { children: ComponentChildren }) {
  return <div class="preview-frame">{children}</div>;
}

function Picture({ file }: Previewed) {
  const { value, fail, waiting } = useOnce(() => addressOf(file));
  if (waiting) return waiting;
  const src = value && (hasThumbnail(file) ? `${value}&size=1024` : value);
  return (
    <Frame>
      {src
        ? (
          <img
            class="preview-image"
            src={src}
            alt={file.name}
            onError={() => fail(new Error(fileTexts().preview.failed))}
          />
        )
        : <Skeleton block="20rem" />}
    </Frame>
  );
}

function Player({ file }: Previewed) {
  const { value, fail, waiting } = useOnce(() => addressOf(file));
  if (waiting) return waiting;
  if (!value) return <Skeleton block={file.type === "video" ? "20rem" : "3.5rem"} />;
  const common = {
    class: "preview-player",
    src: value,
    controls: true,
    preload: "metadata" as const,
    "aria-label": file.name,
    onError: () => fail(new Error(fileTexts().preview.failed)),
  };
  return (
    <Frame>{previewOf(file) === "video" ? <video {...common} /> : <audio {...common} />}</Frame>
  );
}

/** Bytes of a text that are shown. */
const SHOWN = 100_000;

function Text({ file }: Previewed) {
  const said = fileTexts().preview;
  const { value, waiting } = useOnce(async () => {
    const response = await fetch(await addressOf(file), {
      headers: file.size > SHOWN ? { range: `bytes=0-${SHOWN - 1}` } : {},
    });
    if (!response.ok) throw new Error(said.failed);
    return await response.text();
  });
  if (waiting) return waiting;
  if (value === undefined) return <Skeleton lines={12} />;
  return (
    <>
      <pre class="preview-text" tabIndex={0} role="region" aria-label={said.text(file.name)}>
        <code>{value}</code>
      </pre>
      {file.size > SHOWN && <p class="muted small">{said.cut(fileSize(SHOWN))}</p>}
    </>
  );
}

function Pdf({ file }: Previewed) {
  const said = fileTexts().preview;
  const { busy, run } = useBusy();
  // The browser's own viewer has no place in this page, whose rules let nothing in it run.
  const open = () =>
    run(async () => {
      const content = await downloadFile({ path: { id: file.id }, parseAs: "blob" });
      const pdf = new Blob([content as unknown as Blob], { type: "application/pdf" });
      const url = URL.createObjectURL(pdf);
      globalThis.open(url, "_blank", "noopener");
      // By then the other tab has read it.
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    });
  return (
    <Empty
      icon="pdf"
      title={file.name}
      text={said.pdfText}
      action={<Button icon="external" busy={busy} onClick={() => void open()}>{said.pdf}</Button>}
    />
  );
}
