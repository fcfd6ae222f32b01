// The ways by which files are chosen for an upload: a button, and dropping them on the page.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button, type ButtonProps } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { toast } from "../../state/toasts.ts";
import { uploadTexts } from "./upload_texts.ts";

interface ChooseProps extends Pick<ButtonProps, "kind" | "size" | "icon"> {
  onChosen: (files: readonly File[]) => void;
  /** @default true */
  multiple?: boolean;
  children: ComponentChildren;
}

export function ChooseFiles({ onChosen, multiple = true, children, ...button }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="upload" {...button} onClick={() => input.current!.click()}>{children}</Button>
      <input
        ref={input}
        type="file"
        multiple={multiple}
        hidden
        onChange={(event) => {
          const files = [...event.currentTarget.files ?? []];
          // The same file may be chosen once more.
          event.currentTarget.value = "";
          if (files.length > 0) onChosen(files);
        }}
      />
    </>
  );
}

interface DropZoneProps {
  /** Where they would go, for people; null where nothing can be dropped. */
  target: string | null;
  onDropped: (files: readonly File[]) => void;
  class?: string;
  children: ComponentChildren;
}

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** A part of the page on which files can be dropped. */
export function DropZone({ target, onDropped, class: extra, children }: DropZoneProps) {
  /** How many of the elements in it the pointer has entered and not left. */
  const depth = useRef(0);
  const [over, setOver] = useState(false);
  if (target === null) return <div class={extra}>{children}</div>;
  return (
    <div
      class={extra}
      onDragEnter={(event) => {
        if (!holdsFiles(event)) return;
        depth.current++;
        setOver(true);
      }}
      onDragOver={(event) => {
        if (holdsFiles(event)) event.preventDefault();
      }}
      onDragLeave={(event) => {
        if (!holdsFiles(event)) return;
        depth.current = Math.max(0, depth.current - 1);
        setOver(depth.current > 0);
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        const files = filesIn(event.dataTransfer!);
        if (files.length > 0) onDropped(files);
      }}
    >
      {children}
      {over && (
        <div class="drop-here" aria-hidden="true">
          <Icon name="upload" size={24} />
          <span class="strong">{uploadTexts().drop(target)}</span>
        </div>
      )}
    </div>
  );
}

/** Folders come as files that cannot be read: they are told apart. */
function filesIn({ items, files }: DataTransfer): readonly File[] {
  const isFolder = [...items].filter(({ kind }) => kind === "file")
    .map((item) => item.webkitGetAsEntry()?.isDirectory ?? false);
  if (isFolder.includes(true)) toast({ kind: "error", text: uploadTexts().noFolders });
  return [...files].filter((_, index) => !isFolder[index]);
}
