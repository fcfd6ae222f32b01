// What describes a document: title, folder, tags, type and team.
import { type Document, updateDocument } from "../../../client/mod.ts";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Select, TextField } from "../../parts/field.tsx";
import { Form, FormActions } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { changesOf, detailsOf, type DetailValues } from "./detail_values.ts";
import { documentTexts } from "./document_texts.ts";
import { FolderField, TagNames, TeamField, useTeams } from "./fields.tsx";
import { readDocument, type Rights } from "./read.ts";
import { texts } from "./texts.ts";
import { type DocumentType, typeChoices } from "./types.tsx";

const FORM = "document-details";

interface DetailsProps {
  readonly record: Versioned<Document>;
  readonly rights: Rights;
  readonly onClose: () => void;
}

export function Details({ record, rights, onClose }: DetailsProps) {
  const { details: said } = documentTexts();
  const { fields, types, untitled } = texts();
  const { id } = record.data;
  const teams = useTeams();
  const edited = useVersionedForm<Document, DetailValues>({
    record,
    valuesOf: detailsOf,
    read: () => readDocument(id),
    check: ({ title }) => ({ title: title.trim() ? undefined : untitled }),
    async save(values, etag, before) {
      const body = changesOf(values, before);
      await updateDocument({ path: { id }, body, headers: { "If-Match": etag } });
      refresh("documents", "dashboard");
      toast({ text: said.saved });
      onClose();
    },
  });
  const { form } = edited;
  return (
    <Drawer
      open
      title={said.title}
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} whenDirty onCancel={onClose} />}
    >
      <Form form={form} id={FORM} label={said.title}>
        <TextField
          {...form.field("title")}
          label={fields.title}
          required
          autofocus
          autocomplete="off"
          maxLength={200}
        />
        <TagNames {...form.field("tags")} />
        <Select<DocumentType>
          {...form.field("type")}
          label={fields.type}
          options={typeChoices()}
        />
        {rights.own && (
          <>
            <FolderField {...form.field("folder")} />
            <TeamField {...form.field("teamId")} />
          </>
        )}
      </Form>
      <ConflictDialog
        edited={edited}
        fields={[
          { name: "title", label: fields.title },
          {
            name: "tags",
            label: fields.tags,
            show: (value) => (value as readonly string[]).join(", "),
          },
          { name: "type", label: fields.type, show: (value) => types[value as DocumentType] },
          { name: "folder", label: fields.folder },
          {
            name: "teamId",
            label: fields.team,
            show: (value) => teams.find(({ id }) => id === value)?.name ?? String(value),
          },
        ]}
      />
    </Drawer>
  );
}
