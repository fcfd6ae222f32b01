// Making a webhook, and changing one beside what others may do to it at the same time.
import {
  createWebhook,
  getWebhook,
  updateWebhook,
  versioned,
  type Webhook,
  type WebhookWithSecret,
} from "../../../client/mod.ts";
import { ConflictDialog, useVersionedForm, type Versioned } from "../../parts/conflict.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Switch, TextField } from "../../parts/field.tsx";
import { Form, FormActions, type FormState, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { listed } from "../../state/format.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { EventsField } from "./events_field.tsx";
import { texts } from "./texts.ts";

const FORM = "webhook-form";

interface Values {
  readonly url: string;
  readonly description: string;
  readonly events: string[];
  readonly active: boolean;
  readonly records: boolean;
}

const NEW: Values = { url: "", description: "", events: [], active: true, records: true };

const valuesOf = ({ url, description = "", events, active, records }: Webhook): Values => ({
  url,
  description,
  events,
  active,
  records,
});

export async function readWebhook(id: string, signal?: AbortSignal): Promise<Versioned<Webhook>> {
  const answer = getWebhook({ path: { id }, responseStyle: "fields", signal });
  const { data, etag } = await versioned(answer);
  return { data: data as unknown as Webhook, etag };
}

export function CreateWebhook(
  { onClose, onCreated }: {
    readonly onClose: () => void;
    readonly onCreated: (hook: WebhookWithSecret) => void;
  },
) {
  const said = texts();
  const form = useForm<Values>({
    initial: NEW,
    async submit({ description, ...values }) {
      const body = { ...values, ...(description ? { description } : {}) };
      const { data } = await createWebhook({ body });
      toast({ text: said.created });
      refresh("webhooks");
      onClose();
      onCreated(data);
    },
  });
  return (
    <Drawer
      title={said.createTitle}
      open
      size="l"
      onClose={onClose}
      footer={<FormActions form={form} for={FORM} onCancel={onClose} />}
    >
      <Fields form={form} />
    </Drawer>
  );
}

export function EditWebhook(
  { record, onClose }: { readonly record: Versioned<Webhook>; readonly onClose: () => void },
) {
  const said = texts();
  const { id } = record.data;
  const edited = useVersionedForm<Webhook, Values>({
    record,
    valuesOf,
    read: () => readWebhook(id),
    async save({ description, ...values }, etag) {
      await updateWebhook({
        path: { id },
        body: { ...values, description: description || null },
        headers: { "If-Match": etag },
      });
      toast({ text: said.saved });
      refresh("webhooks");
      onClose();
    },
  });
  const yesOrNo = (value: unknown) => value ? common().yes : common().no;
  return (
    <Drawer
      title={said.editTitle}
      open
      size="l"
      onClose={onClose}
      footer={<FormActions form={edited.form} for={FORM} onCancel={onClose} whenDirty />}
    >
      <Fields form={edited.form} />
      <ConflictDialog
        edited={edited}
        fields={[
          { name: "url", label: said.address },
          { name: "description", label: said.description },
          { name: "events", label: said.events, show: (_, { events }) => listed(events) },
          { name: "active", label: said.active, show: yesOrNo },
          { name: "records", label: said.records, show: yesOrNo },
        ]}
      />
    </Drawer>
  );
}

function Fields({ form }: { readonly form: FormState<Values> }) {
  const said = texts();
  return (
    <Form form={form} id={FORM}>
      <TextField
        {...form.field("url")}
        label={said.address}
        hint={said.addressHint}
        type="url"
        technical
        required
        autofocus
      />
      <TextField
        {...form.field("description")}
        label={said.description}
        hint={said.descriptionHint}
      />
      <EventsField {...form.field("events")} />
      <Switch {...form.field("active")} label={said.active} hint={said.activeHint} />
      <Switch {...form.field("records")} label={said.records} hint={said.recordsHint} />
    </Form>
  );
}
