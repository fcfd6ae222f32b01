// Sending what happened in a time once more.
import {
  replayWebhookDeliveries,
  type ReplayWebhookDeliveriesRequest,
} from "../../../client/mod.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { DateTimeField, Select } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { number } from "../../state/format.ts";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const DAY = 86_400_000;

export function Replay({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const said = texts();
  const form = useForm({
    initial: {
      from: new Date(Date.now() - DAY).toISOString(),
      to: "",
      status: "failed" as NonNullable<ReplayWebhookDeliveriesRequest["status"]>,
    },
    async submit({ from, to, status }) {
      let count = 0;
      let cursor: string | null | undefined;
      do {
        const body = { from, status, ...(to ? { to } : {}), ...(cursor ? { cursor } : {}) };
        const { data } = await replayWebhookDeliveries({ path: { id }, body });
        count += data.count;
        cursor = data.nextCursor;
      } while (cursor);
      toast({ text: said.replayed(number(count)), kind: "info" });
      refresh("webhookDeliveries");
      onClose();
    },
  });
  return (
    <Dialog
      title={said.replayTitle}
      text={said.replayText}
      open
      onClose={onClose}
      footer={<FormActions form={form} for="replay-form" label={said.again} onCancel={onClose} />}
    >
      <Form form={form} id="replay-form">
        <DateTimeField {...form.field("from")} label={said.from} required />
        <DateTimeField {...form.field("to")} label={said.to} />
        <Select
          {...form.field("status")}
          label={said.which}
          options={Object.entries(said.whichOnes).map(([value, label]) => ({
            value: value as keyof typeof said.whichOnes,
            label,
          }))}
        />
      </Form>
    </Dialog>
  );
}
