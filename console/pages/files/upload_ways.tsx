// The ways by which files and folders are chosen for an upload: buttons, and dropping them on the page.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button, type ButtonProps } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { number } from "../../state/format.ts";
import { serves } from "../../state/place.ts";
import { toast } from "../../state/toasts.ts";
import { type Chosen, chosenBy, chosenIn, MOST_FILES } from "./chosen.ts";
import { uploadTexts } from "./upload_texts.ts";

type OnChosen = (chosen: readonly Chosen[]) => void;

/** Hands on what was chosen, unless it is too much. */
function hand(chosen: readonly Chosen[], onChosen: OnChosen): void {
  const { tooMany } = uploadTexts();
  if (chosen.length > MOST_FILES) {
    toast({ kind: "error", text: tooMany(number(MOST_FILES)) });
  } else if (chosen.length > 0) onChosen(chosen);
}

function take(input: HTMLInputElement, onChosen: OnChosen): void {
  const chosen = chosenBy(input.files ?? []);
  // The same file may be chosen once more.
  input.value = "";
  hand(chosen, onChosen);
}

interface ChooseProps extends Pick<ButtonProps, "kind" | "size" | "icon"> {
  onChosen: OnChosen;
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
        onChange={(event) => take(event.currentTarget, onChosen)}
      />
    </>
  );
}

/** @returns What asks for a folder, and the field that belongs to it. */
export function useFolderChoice(onChosen: OnChosen) {
  const input = useRef<HTMLInputElement>(null);
  const field = (
    <input
      ref={input}
      type="file"
      hidden
      {...{ webkitdirectory: true }}
      onChange={(event) => take(event.currentTarget, onChosen)}
    />
  );
  return { ask: () => input.current!.click(), field };
}

interface DropZoneProps {
  /** Where they would go, for people; null where nothing can be dropped. */
  target: string | null;
  onDropped: OnChosen;
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
        void takeDropped(event.dataTransfer!, onDropped);
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

/** As many names of what could not be read are told. */
const NAMED = 3;

async function takeDropped(transfer: DataTransfer, onDropped: OnChosen): Promise<void> {
  const said = uploadTexts();
  // All before the first wait: the transfer is empty once this turn is over.
  const items = [...transfer.items].filter(({ kind }) => kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const entries = items.flatMap(({ entry }) => entry ?? []);
  // Pictures of a page, for one, are no files of a file system.
  const loose = chosenBy(items.flatMap(({ entry, file }) => entry ? [] : file ?? []));
  if (!serves("folders") && entries.some(({ isDirectory }) => isDirectory)) {
    toast({ kind: "error", text: said.noFolders });
  }
  const { chosen, unread } = await chosenIn(
    serves("folders") ? entries : entries.filter(({ isFile }) => isFile),
  );
  if (unread.length > 0) {
    const names = unread.slice(0, NAMED).join(", ");
    toast({ kind: "error", text: said.unread(names, Math.max(0, unread.length - NAMED)) });
  }
  hand([...loose, ...chosen], onDropped);
}
