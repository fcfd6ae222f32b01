// Making a webhook, and changing one.
import {
  createWebhook,
  updateWebhook,
  type Webhook,
  type WebhookWithSecret,
} from "../../../client/mod.ts";
import { Drawer } from "../../parts/drawer.tsx";
import { Switch, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { EventsField } from "./events_field.tsx";
import { texts } from "./texts.ts";

export function WebhookForm(
  { hook, onClose, onCreated }: {
    /** The one that is changed; absent for a new one. */
    readonly hook?: Webhook;
    readonly onClose: () => void;
    readonly onCreated?: (hook: WebhookWithSecret) => void;
  },
) {
  const said = texts();
  const form = useForm({
    initial: {
      url: hook?.url ?? "",
      description: hook?.description ?? "",
      events: hook?.events ?? [] as string[],
      active: hook?.active ?? true,
      records: hook?.records ?? true,
    },
    async submit({ description, ...values }) {
      if (hook) {
        await updateWebhook({
          path: { id: hook.id },
          body: { ...values, description: description || null },
        });
        toast({ text: said.saved });
      } else {
        const body = { ...values, ...(description ? { description } : {}) };
        const { data } = await createWebhook({ body });
        toast({ text: said.created });
        onCreated?.(data);
      }
      refresh("webhooks");
      onClose();
    },
  });
  return (
    <Drawer
      title={hook ? said.editTitle : said.createTitle}
      open
      size="l"
      onClose={onClose}
      footer={
        <FormActions
          form={form}
          for="webhook-form"
          onCancel={onClose}
          whenDirty={hook !== undefined}
        />
      }
    >
      <Form form={form} id="webhook-form">
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
    </Drawer>
  );
}
