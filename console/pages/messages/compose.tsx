// Writing to somebody: to one person, or to several, who are a group then.
import { useLocation } from "preact-iso/router";
import { sendMessage } from "../../../client/mod.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { PersonPicker, TextArea, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { findPeople, type PersonFound } from "../../state/people.ts";
import { serves } from "../../state/place.ts";
import { refresh } from "../../state/query.ts";
import { useRequestKey } from "../../state/request_key.ts";
import { user } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

export function Compose(
  { to = [], onClose }: { readonly to?: readonly PersonFound[]; readonly onClose: () => void },
) {
  const said = texts();
  const { route } = useLocation();
  const find = findPeople({ status: "active" });
  const keyOf = useRequestKey();
  const form = useForm({
    initial: { recipientId: to, name: "", content: "" },
    check: ({ recipientId, content }) => ({
      recipientId: recipientId.length > 0 ? undefined : said.required,
      content: content.trim() ? undefined : said.contentMissing,
    }),
    async submit({ recipientId: people, name, content }) {
      const ids = people.map(({ value }) => value);
      const body = ids.length === 1
        ? { recipientId: ids[0]!, content }
        : { participantIds: ids, content, ...(name ? { name } : {}) };
      const headers = { "Idempotency-Key": keyOf(body) };
      const { data } = await sendMessage({ body, headers });
      refresh("messages", "conversations");
      toast({ text: said.sent });
      onClose();
      if (serves("conversations")) route(`/messages/${data.conversationId}`);
    },
  });
  const several = form.values.recipientId.value.length > 1;
  return (
    <Dialog
      title={said.create}
      open
      onClose={onClose}
      footer={<FormActions form={form} for="message-form" label={said.send} onCancel={onClose} />}
    >
      <Form form={form} id="message-form">
        <PersonPicker
          {...form.field("recipientId")}
          label={said.to}
          hint={said.toHint}
          multiple
          required
          autofocus
          load={async (search, signal) =>
            (await find(search, signal)).filter(({ value }) => value !== user.value?.id)}
          onChange={(people) => form.set({ recipientId: people as readonly PersonFound[] })}
        />
        {several && <TextField {...form.field("name")} label={said.groupName} maxLength={200} />}
        <TextArea
          {...form.field("content")}
          label={said.message}
          rows={6}
          required
          maxLength={10_000}
        />
      </Form>
    </Dialog>
  );
}
