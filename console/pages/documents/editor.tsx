// The text of a document: written, read, or both beside each other.
import { useState } from "preact/hooks";
import type { Document } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConflictDialog, type Versioned } from "../../parts/conflict.tsx";
import { RadioGroup, Switch } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Notice } from "../../parts/problem.tsx";
import { useShortcut } from "../../parts/use_shortcut.ts";
import { useParameter } from "../../state/address.ts";
import { documentTexts } from "./document_texts.ts";
import { MarkedText } from "./diff_view.tsx";
import { Markdown } from "./markdown.tsx";
import { texts } from "./texts.ts";
import { useEditor, type Written } from "./use_editor.ts";

const VIEWS = ["write", "both", "read"] as const;
type View = (typeof VIEWS)[number];

/** Whether the text is saved by itself; kept for all documents of this browser. */
const AUTOSAVE = "quarterdeck.autosave";

interface EditorProps {
  readonly record: Versioned<Document>;
  /** While something else is asked, nothing is saved by itself. */
  readonly paused: boolean;
}

export function Editor({ record, paused }: EditorProps) {
  const said = documentTexts().edit;
  const [first] = useState<View>(() => record.data.content === "" ? "both" : "read");
  const [asked, setView] = useParameter("view", first);
  const view = VIEWS.find((one) => one === asked) ?? first;
  const [autosave, setAutosave] = useState(() => localStorage.getItem(AUTOSAVE) === "on");
  const { edited, stale, restored, discard } = useEditor({
    record,
    autosave: autosave && !paused,
  });
  const { form } = edited;
  const content = form.field("content");
  const dirty = form.dirty.value;
  const save = () => void (dirty && form.submit());
  useShortcut({ keys: "mod+s", label: () => documentTexts().edit.shortcut, run: save });
  return (
    <Form form={form} class="document-form" guarded="window">
      {restored && (
        <Notice action={<Button size="s" onClick={discard}>{said.discard}</Button>}>
          {said.draft}
        </Notice>
      )}
      {stale && <Notice tone="warning">{said.theirs}</Notice>}
      <div class="card document-card">
        <Bar
          view={view}
          onView={setView}
          form={form}
          autosave={autosave}
          onAutosave={setAutosave}
        />
        <div class={`document-panes document-${view}`}>
          {view !== "read" && (
            <textarea
              class="document-text"
              name="content"
              aria-label={said.content}
              placeholder={said.placeholder}
              dir="auto"
              value={content.value}
              onInput={(event) => content.onChange(event.currentTarget.value)}
            />
          )}
          {view !== "write" && (
            <div class="document-preview" role="region" aria-label={said.preview} tabIndex={0}>
              <Reading type={record.data.type} source={content.value} live={view === "both"} />
            </div>
          )}
        </div>
      </div>
      <ConflictDialog<Written>
        edited={edited}
        fields={[{
          name: "content",
          label: texts().types.document,
          show: (value) => {
            const { mine, theirs } = edited.conflict.peek()!;
            const other = value === mine.content ? theirs.content : mine.content;
            return <MarkedText text={value} other={other} />;
          },
        }]}
      />
    </Form>
  );
}

/** How the text is shown, whether it is saved, and saving it. */
function Bar({ view, onView, form, autosave, onAutosave }: {
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly form: ReturnType<typeof useEditor>["edited"]["form"];
  readonly autosave: boolean;
  readonly onAutosave: (on: boolean) => void;
}) {
  const said = documentTexts().edit;
  const dirty = form.dirty.value;
  return (
    <div class="document-bar">
      <RadioGroup<View>
        label={said.view}
        hideLabel
        segmented
        value={view}
        options={VIEWS.map((value) => ({ value, label: said.views[value] }))}
        onChange={onView}
      />
      <div class="document-state">
        <span role="status">
          {form.busy.value
            ? <span class="muted">{said.saving}</span>
            : dirty
            ? <Badge tone="warn" dot>{said.unsaved}</Badge>
            : <Badge tone="good" dot>{said.saved}</Badge>}
        </span>
        <Switch
          label={said.autosave}
          value={autosave}
          onChange={(on) => {
            onAutosave(on);
            localStorage.setItem(AUTOSAVE, on ? "on" : "off");
          }}
        />
        <Button type="submit" kind="primary" busy={form.busy.value} disabled={!dirty}>
          {said.save}
        </Button>
      </div>
    </div>
  );
}

interface ReadingProps {
  readonly type: Document["type"];
  readonly source: string;
  readonly live?: boolean;
}

/** As it reads: code as code, all else as Markdown. */
export function Reading({ type, source, live }: ReadingProps) {
  const markdown = type === "code" ? fenced(source) : source;
  return <Markdown source={source.trim() === "" ? "" : markdown} live={live} />;
}

/** In a fence that is longer than any in it (CommonMark, section 4.5). */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}
