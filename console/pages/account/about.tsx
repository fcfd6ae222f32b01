// Name and the like.
import { useEffect, useRef, useState } from "preact/hooks";
import {
  ConflictError,
  getCurrentUser,
  updateCurrentUserByPatch,
  type User,
  versioned,
} from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { loadUser } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";
import { ZoneField } from "./zone_field.tsx";

const FIELDS = ["name", "username", "phone", "department", "position", "bio", "timeZone"] as const;
type About = Record<(typeof FIELDS)[number], string>;

function aboutOf(user: User): About {
  return Object.fromEntries(FIELDS.map((field) => [field, user[field] ?? ""])) as About;
}

export function AboutCard({ user, etag }: { readonly user: User; readonly etag: string }) {
  const { about: said, saved, conflict } = texts();
  const [theirs, clash] = useState<{ data: User; etag: string } | null>(null);
  /** What the values were made from. */
  const base = useRef({ etag, about: aboutOf(user) });
  const form = useForm<About>({
    initial: aboutOf(user),
    submit: save,
  });
  // What others have saved is shown where nothing was typed; else the save finds out.
  useEffect(() => {
    if (base.current.etag !== etag && !form.dirty.peek() && !form.busy.peek()) begin(user, etag);
  }, [etag]);

  function begin(user: User, etag: string): void {
    base.current = { etag, about: aboutOf(user) };
    form.reset(base.current.about);
  }

  async function save(values: About): Promise<void> {
    try {
      const { data, etag } = await versioned(
        updateCurrentUserByPatch({
          body: changes(values),
          headers: { "If-Match": base.current.etag },
          responseStyle: "fields",
        } as never),
      ) as unknown as { data: User; etag: string };
      begin(data, etag);
      toast({ text: saved });
      refresh("users");
      await loadUser();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      clash(await versioned(getCurrentUser({ responseStyle: "fields" } as never)) as never);
    }
  }

  /** Only what was changed: fields that others changed stay theirs. */
  function changes(values: About): Partial<About> {
    const { about: before } = base.current;
    return Object.fromEntries(
      FIELDS.filter((field) => values[field] !== before[field]).map((
        field,
      ) => [field, values[field]]),
    );
  }

  return (
    <Card title={said.title} text={said.text}>
      <Form form={form} label={said.title}>
        <div class="columns">
          <TextField {...form.field("name")} label={said.name} autocomplete="name" required />
          <TextField
            {...form.field("username")}
            label={said.username}
            hint={said.usernameHint}
            autocomplete="username"
            technical
          />
          <TextField {...form.field("phone")} label={said.phone} type="tel" autocomplete="tel" />
          <ZoneField
            {...form.field("timeZone")}
            label={said.zone}
            hint={said.zoneHint}
            none={said.noZone}
          />
          <TextField
            {...form.field("department")}
            label={said.department}
            autocomplete="organization"
          />
          <TextField
            {...form.field("position")}
            label={said.position}
            autocomplete="organization-title"
          />
        </div>
        <TextArea {...form.field("bio")} label={said.bio} rows={3} maxLength={2000} />
        <FormActions form={form} whenDirty />
      </Form>
      <Dialog
        open={theirs !== null}
        title={conflict.title}
        text={conflict.text}
        size="s"
        alert
        onClose={() => clash(null)}
        footer={
          <>
            <Button
              onClick={() => {
                begin(theirs!.data, theirs!.etag);
                clash(null);
                refresh("users");
              }}
            >
              {conflict.theirs}
            </Button>
            <Button
              kind="primary"
              onClick={() => {
                base.current = { ...base.current, etag: theirs!.etag };
                clash(null);
                void form.submit();
              }}
            >
              {conflict.mine}
            </Button>
          </>
        }
      />
    </Card>
  );
}
