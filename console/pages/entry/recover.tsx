// Asking for a link that sets a new password. What is said does not tell whether there is such an account.
import { useState } from "preact/hooks";
import { forgotPassword } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { EntryCard } from "../../shell/entry_card.tsx";
import { texts } from "./texts.ts";

export default function Recover() {
  const { email, recover: said, back, problem } = texts();
  const [sent, send] = useState<string | null>(null);
  const form = useForm({
    initial: { email: "" },
    async submit(body) {
      await forgotPassword({ body });
      send(body.email);
    },
  });
  const links = <a href="/login">{back}</a>;
  if (sent !== null) {
    return (
      <EntryCard title={said.sentTitle} text={said.sent(sent)} links={links}>
        <Button class="entry-wide" onClick={() => send(null)}>{said.again}</Button>
      </EntryCard>
    );
  }
  return (
    <EntryCard title={said.title} text={said.text} links={links}>
      <Form form={form} problem={problem} guarded={false}>
        <TextField
          {...form.field("email")}
          label={email}
          type="email"
          autocomplete="username"
          autofocus
          technical
          required
        />
        <Button class="entry-wide" type="submit" kind="primary" busy={form.busy.value}>
          {said.action}
        </Button>
      </Form>
    </EntryCard>
  );
}
