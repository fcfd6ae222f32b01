// Deleting a user: what goes with them, how much of it, and a word of confirmation.
import { deleteUser, type User } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { RadioGroup, TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { deleting, refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { detailTexts } from "./detail_texts.ts";

const FORM = "remove-user";

type Extent = "account" | "erase";

interface RemoveUserProps {
  user: User;
  onClose: () => void;
  onRemoved: () => void;
}

export function RemoveUser({ user, onClose, onRemoved }: RemoveUserProps) {
  const said = detailTexts().remove;
  const form = useForm({
    initial: { extent: "account" as Extent, typed: "" },
    check: ({ typed }) => ({
      typed: typed.trim().toLowerCase() === user.email.toLowerCase() ? undefined : said.mismatch,
    }),
    async submit({ extent }) {
      const query = extent === "erase" ? { erase: true } : {};
      await deleting(["users", "one", user.id], () => deleteUser({ path: { id: user.id }, query }));
      toast({ text: said.deleted(user.name) });
      onRemoved();
      refresh("users", "teams", "documents", "files", "dashboard");
    },
  });
  return (
    <Dialog
      open
      alert
      title={said.title(user.name)}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="danger" busy={form.busy.value}>
            {said.submit}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.title(user.name)}>
        <div>
          <p class="strong">{said.what}</p>
          <ul class="consequences">
            <li>{said.sessions}</li>
            <li>{said.records}</li>
            <li>{said.messages}</li>
          </ul>
        </div>
        <RadioGroup<Extent>
          label={said.how}
          options={[
            { value: "account", label: said.account, description: said.accountText },
            { value: "erase", label: said.erase, description: said.eraseText },
          ]}
          {...form.field("extent")}
        />
        <TextField
          label={said.type(user.email)}
          technical
          autofocus
          autocomplete="off"
          {...form.field("typed")}
        />
      </Form>
    </Dialog>
  );
}
