// Moving and tagging documents: where to, and by which names.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Refusals } from "../../parts/refusals.tsx";
import { texts as common } from "../../parts/texts.ts";
import type { Refusal } from "../../state/batch_outcome.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { moveMany, tagMany } from "./actions.ts";
import { FolderField, TagNames } from "./fields.tsx";
import { texts } from "./texts.ts";

export type BulkKind = "move" | "tag";

interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly ids: readonly string[];
  /** Where they are now, if that is the same. */
  readonly folder: string;
  readonly nameOf: (id: string) => string | undefined;
  /** @param done Whether any were changed. */
  readonly onClose: (done: boolean) => void;
}

const FORM = "change-documents";

export function BulkDialog({ kind, ids, folder, nameOf, onClose }: BulkDialogProps) {
  const said = texts();
  const [refused, setRefused] = useState<readonly Refusal[] | null>(null);
  const form = useForm({
    initial: { folder, tags: [] as readonly string[] },
    check: ({ tags }) => ({
      tags: kind === "tag" && tags.length === 0 ? said.tagNeeded : undefined,
    }),
    async submit(values) {
      const bulk = kind === "move" ? moveMany(values.folder || null) : tagMany(values.tags);
      const outcome = await bulk(ids);
      refresh("documents");
      const count = outcome.done.length;
      if (count > 0) toast({ text: kind === "move" ? said.moved(count) : said.tagged(count) });
      if (outcome.refused.length > 0) setRefused(outcome.refused);
      else onClose(true);
    },
  });
  if (refused) {
    return (
      <Refusals
        title={said.refusedTitle(refused.length)}
        refused={refused}
        nameOf={nameOf}
        onClose={() => onClose(true)}
      />
    );
  }
  const title = kind === "move" ? said.moveTitle(ids.length) : said.addTagsTitle(ids.length);
  return (
    <Dialog
      open
      size="s"
      title={title}
      onClose={() => onClose(false)}
      footer={
        <>
          <Button onClick={() => onClose(false)}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {kind === "move" ? said.move : said.addTags}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={title}>
        {kind === "move"
          ? <FolderField {...form.field("folder")} autofocus />
          : <TagNames {...form.field("tags")} required />}
      </Form>
    </Dialog>
  );
}
