// What is shown to whoever saves a record that somebody else has changed meanwhile: both versions, and a choice.
import type { ComponentChildren } from "preact";
import { translated } from "../state/language.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import type { VersionedForm } from "./use_versioned_form.ts";

export {
  type Conflict,
  useVersionedForm,
  type Versioned,
  type VersionedForm,
  type VersionedFormOptions,
} from "./use_versioned_form.ts";

const texts = translated({
  en: {
    title: "Somebody else has changed this",
    text: "While you were editing, it was saved with other values. Nothing of yours is lost yet.",
    field: "Field",
    mine: "Yours",
    theirs: "Theirs",
    same: "You both wrote the same. Saving again is enough.",
    nothing: "empty",
    keepMine: "Keep mine",
    takeTheirs: "Take theirs",
    goOn: "Go on editing",
  },
  zh: {
    title: "其他人已修改此内容",
    text: "在您编辑期间，此内容已被保存为其他值。您的修改尚未丢失。",
    field: "字段",
    mine: "您的版本",
    theirs: "对方的版本",
    same: "双方的内容相同，再次保存即可。",
    nothing: "空",
    keepMine: "保留我的",
    takeTheirs: "采用对方的",
    goOn: "继续编辑",
  },
});

/** A field of the form, for people. */
export interface ConflictField<V> {
  readonly name: keyof V & string;
  readonly label: string;
  /** @default the value as text */
  readonly show?: (value: V[keyof V], values: V) => ComponentChildren;
}

export interface ConflictDialogProps<V extends object> {
  edited: Pick<VersionedForm<V>, "conflict" | "keepMine" | "takeTheirs" | "goOn">;
  fields: readonly ConflictField<V>[];
}

/** Shows itself when there is a conflict. */
export function ConflictDialog<V extends object>({ edited, fields }: ConflictDialogProps<V>) {
  const conflict = edited.conflict.value;
  if (!conflict) return null;
  const { mine, theirs } = conflict;
  const said = texts();
  const differing = differences(fields, mine, theirs);
  return (
    <Dialog
      open
      alert
      size="m"
      title={said.title}
      text={said.text}
      onClose={edited.goOn}
      footer={
        <>
          <Button onClick={edited.goOn}>{said.goOn}</Button>
          <Button onClick={edited.takeTheirs}>{said.takeTheirs}</Button>
          <Button kind="primary" autofocus onClick={() => void edited.keepMine()}>
            {said.keepMine}
          </Button>
        </>
      }
    >
      {differing.length === 0 ? <p>{said.same}</p> : (
        <table class="conflict">
          <thead>
            <tr>
              <th scope="col">{said.field}</th>
              <th scope="col">{said.mine}</th>
              <th scope="col">{said.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {differing.map((field) => (
              <tr key={field.name}>
                <th scope="row">{field.label}</th>
                <td>{shown(field, mine)}</td>
                <td>{shown(field, theirs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

function shown<V extends object>({ name, show }: ConflictField<V>, values: V): ComponentChildren {
  const value = values[name];
  if (show) return show(value, values);
  const empty = value === "" || value === undefined || value === null ||
    Array.isArray(value) && value.length === 0;
  return empty ? <span class="muted">{texts().nothing}</span> : String(value);
}

/** The fields in which two versions differ; lists and objects by what is in them. */
function differences<V extends object>(
  fields: readonly ConflictField<V>[],
  mine: V,
  theirs: V,
): readonly ConflictField<V>[] {
  return fields.filter(({ name }) => JSON.stringify(mine[name]) !== JSON.stringify(theirs[name]));
}
