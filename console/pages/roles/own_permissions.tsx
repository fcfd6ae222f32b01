// Permissions that people have added to the catalogue, for programs of their own.
import { useState } from "preact/hooks";
import { createPermission, deletePermission, type Permission } from "../../../client/mod.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { confirm, Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { serves } from "../../state/place.ts";
import { refresh } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { tried } from "../../state/use_busy.ts";
import { texts } from "./texts.ts";

const FORM = "create-permission";

export function OwnPermissions({ catalogue }: { catalogue: readonly Permission[] }) {
  const { permission: said, matrix } = texts();
  const [adding, setAdding] = useState(false);
  const own = catalogue.filter(({ builtIn }) => !builtIn);
  const mayAdd = can("permissions:create");
  if (!serves("permissions") || own.length === 0 && !mayAdd) return null;
  return (
    <Card
      title={said.ownOnes}
      text={said.ownText}
      actions={mayAdd && (
        <Button size="s" icon="plus" onClick={() => setAdding(true)}>{said.add}</Button>
      )}
    >
      {own.length === 0 && <p class="muted">{said.text}</p>}
      <ul class="items">
        {own.map((one) => (
          <li key={one.id} class="item">
            <div class="item-words">
              <code>{one.name}</code>
              {one.description && <span class="muted small">{one.description}</span>}
            </div>
            {can("permissions:delete") && (
              <IconButton
                icon="trash"
                size="s"
                label={matrix.remove(one.name)}
                onClick={() => void remove(one)}
              />
            )}
          </li>
        ))}
      </ul>
      {adding && <CreatePermission onClose={() => setAdding(false)} />}
    </Card>
  );
}

async function remove({ id, name }: Permission) {
  const { removeTitle, removeText: text, remove: action, removed } = texts().permission;
  if (!await confirm({ title: removeTitle(name), text, action, danger: true })) return;
  await tried(async () => {
    await deletePermission({ path: { id } });
    refresh("permissions");
    toast({ text: removed(name) });
  });
}

function CreatePermission({ onClose }: { onClose: () => void }) {
  const { permission: said, create } = texts();
  const form = useForm({
    initial: { resource: "", action: "", description: "" },
    check: ({ resource, action }) => ({
      resource: resource.trim() ? undefined : create.required,
      action: action.trim() ? undefined : create.required,
    }),
    async submit({ description, ...body }) {
      const { data } = await createPermission({
        body: { ...body, ...(description ? { description } : {}) },
      });
      refresh("permissions");
      toast({ text: said.created(data.name) });
      onClose();
    },
  });
  return (
    <Dialog
      open
      title={said.title}
      text={said.text}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{common().cancel}</Button>
          <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
            {said.submit}
          </Button>
        </>
      }
    >
      <Form form={form} id={FORM} label={said.title}>
        <div class="columns">
          <TextField
            label={said.resource}
            hint={said.form}
            placeholder="reports"
            required
            technical
            autofocus
            {...form.field("resource")}
          />
          <TextField
            label={said.action}
            placeholder="view"
            required
            technical
            {...form.field("action")}
          />
        </div>
        <TextField label={said.description} {...form.field("description")} />
      </Form>
    </Dialog>
  );
}
