// Code, ids and secrets: as they are, to be copied.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button, IconButton } from "./button.tsx";
import { texts } from "./texts.ts";

/** Milliseconds for which it says that it was copied. */
const SAID = 1600;

export interface CopyButtonProps {
  /** What is copied. */
  text: string;
  /** What it is, for its name: "Copy key". @default "Copy" */
  label?: string;
  /** With the label beside the icon. */
  wide?: boolean;
  size?: "s" | "m";
}

export function CopyButton(
  { text, label = texts().copy, wide = false, size = "s" }: CopyButtonProps,
) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID);
    return () => clearTimeout(timer);
  }, [copied]);
  const shape = {
    size,
    icon: copied ? "check" as const : "copy" as const,
    onClick: async () => {
      await copy(text);
      setCopied(true);
    },
  };
  return (
    <>
      {wide
        ? <Button {...shape}>{copied ? texts().copied : label}</Button>
        : <IconButton {...shape} label={label} />}
      <span class="unseen" role="status">{copied ? texts().copied : ""}</span>
    </>
  );
}

/** Pages that are no secure context have no clipboard but the old command. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  (document.querySelector("dialog:modal") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  (before as HTMLElement | null)?.focus();
}

export interface CodeProps {
  /** What is shown and copied. */
  text: string;
  /** What it is, for the button that copies it. */
  label?: string;
  /** Marked up, in place of the plain text. */
  children?: ComponentChildren;
}

/** Lines of code. */
export function CodeBlock({ text, label, children }: CodeProps) {
  return (
    <div class="code-block" dir="ltr">
      <pre tabIndex={0}><code>{children ?? text}</code></pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** In a line, such as an id. */
export function Code({ text, label, children }: CodeProps) {
  return (
    <span class="code" dir="ltr">
      <code>{children ?? text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}
