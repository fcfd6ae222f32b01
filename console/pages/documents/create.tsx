// A new document: what it is called and where it stands; it is written on its page.
import { useLocation } from "preact-iso/router";
import { createDocument } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select, TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { refresh } from "../../state/query.ts";
import { FolderField, TagNames, TeamField } from "./fields.tsx";
import { texts } from "./texts.ts";
import { type DocumentType, typeChoices } from "./types.tsx";

const FORM = "create-document";

interface CreateDocumentProps {
  /** The folder that is shown, which it begins in. */
  readonly folder: string;
  readonly onClose: () => void;
}

export function CreateDocument({ folder, onClose }: CreateDocumentProps) {
  const said = texts();
  const { route } = useLocation();
  const form = useForm({
    initial: {
      title: "",
      folder,
      tags: [] as readonly string[],
      type: "document" as DocumentType,
      teamId: "",
    },
    check: ({ title }) => ({ title: title.trim() ? undefined : said.untitled }),
    async submit({ tags, teamId, ...values }) {
      const body = { ...values, tags: [...tags], teamId: teamId || null };
      const { data } = await createDocument({ body });
      refresh("documents", "dashboard");
      onClose();
      route(`/documents/${data.id}`);
    },
  });
  return (
    <Dialog
      open
      title={said.createTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {said.createAction}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.createTitle}>
        <TextField
          {...form.field("title")}
          label={said.fields.title}
          required
          autofocus
          autocomplete="off"
          maxLength={200}
        />
        <div class="columns pair">
          <FolderField {...form.field("folder")} />
          <Select<DocumentType>
            {...form.field("type")}
            label={said.fields.type}
            options={typeChoices()}
          />
        </div>
        <TagNames {...form.field("tags")} />
        <TeamField {...form.field("teamId")} />
      </Form>
    </Dialog>
  );
}
