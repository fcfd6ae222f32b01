// Another name for a file or a folder, beside what others may do to it at the same time.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const FORM = "rename";

interface Named {
  readonly name: string;
}

interface RenameProps {
  readonly read: (signal?: AbortSignal) => Promise<Versioned<Named>>;
  /** @throws {ConflictError} where the version is no longer the latest */
  readonly save: (name: string, etag: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** @param subject Names the record: its collection, and its id. */
export function RenameDialog(
  { subject, name, ...props }: RenameProps & {
    readonly subject: readonly [collection: "files" | "folders", id: string];
    readonly name: string;
  },
) {
  const { read, onClose } = props;
  // Against the version that is shown to whoever types, not the one that the list was made of.
  const found = useQuery([...subject, "rename"], (signal) => read(signal), { keep: false });
  const [record, setRecord] = useState<Versioned<Named> | null>(null);
  if (!record && found.data && !found.isFetching) setRecord(found.data);
  if (record) return <Rename {...props} record={record} />;
  return (
    <Dialog open title={texts().folder.renameTitle(name)} size="s" onClose={onClose}>
      {found.error
        ? <Problem error={found.error} retry={() => found.refetch()} compact />
        : <Skeleton lines={2} />}
    </Dialog>
  );
}

function Rename(
  { record, read, save, onClose }: RenameProps & { readonly record: Versioned<Named> },
) {
  const { folder: said, fields, required } = texts();
  const title = said.renameTitle(record.data.name);
  const edited = useVersionedForm<Named, { name: string }>({
    record,
    valuesOf: ({ name }) => ({ name }),
    check: ({ name }) => ({ name: name.trim() ? undefined : required }),
    read,
    async save({ name }, etag) {
      await save(name, etag);
      toast({ text: said.renamed });
      onClose();
    },
  });
  return (
    <Dialog
      open
      size="s"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={edited.form.busy.value}>
            {said.rename}
          </Button>
        </>
      }
    >
      <Form form={edited.form} id={FORM} label={title}>
        <TextField
          label={fields.name}
          required
          autofocus
          autocomplete="off"
          {...edited.form.field("name")}
        />
      </Form>
      <ConflictDialog edited={edited} fields={[{ name: "name", label: fields.name }]} />
    </Dialog>
  );
}
