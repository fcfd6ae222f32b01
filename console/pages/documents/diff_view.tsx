// Two texts, by the lines in which they differ.
import { useMemo } from "preact/hooks";
import { number } from "../../state/format.ts";
import { diffLines, type Hunk, hunksOf } from "./diff.ts";
import { documentTexts } from "./document_texts.ts";

export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const said = documentTexts().history;
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const hunks = useMemo(() => hunksOf(lines), [lines]);
  const come = lines.filter(({ change }) => change === "come").length;
  const gone = lines.filter(({ change }) => change === "gone").length;
  if (come + gone === 0) return <p class="muted">{said.same}</p>;
  return (
    <div class="stack stack-tight">
      <p class="row small">
        <span class="come">{said.added(number(come))}</span>
        <span class="gone">{said.gone(number(gone))}</span>
      </p>
      <div class="diff" role="region" aria-label={said.difference} tabIndex={0}>
        {hunks.map((hunk, at) => <HunkLines key={at} hunk={hunk} />)}
      </div>
    </div>
  );
}

const SIGNS = { same: " ", come: "+", gone: "−" } as const;

/** One of two texts, with the lines marked that the other has not. */
export function MarkedText({ text, other }: { readonly text: string; readonly other: string }) {
  const hunks = useMemo(
    () => hunksOf(diffLines(other, text).filter(({ change }) => change !== "gone")),
    [text, other],
  );
  return (
    <div class="diff" role="group" aria-label={documentTexts().history.difference} tabIndex={0}>
      {hunks.map((hunk, at) => <HunkLines key={at} hunk={hunk} />)}
    </div>
  );
}

function HunkLines({ hunk: { lines, left } }: { readonly hunk: Hunk }) {
  if (left > 0) return <div class="diff-left">{documentTexts().history.lines(number(left))}</div>;
  return (
    <>
      {lines.map(({ change, text }, at) => (
        <div key={at} class={`diff-line diff-${change}`}>
          <span class="diff-sign">{SIGNS[change]}</span>
          <span dir="auto">{text || "\u200b"}</span>
        </div>
      ))}
    </>
  );
}
