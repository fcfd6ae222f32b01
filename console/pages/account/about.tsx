// Name and the like.
import type { User } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Form, FormActions, type FormState } from "../../parts/form.tsx";
import { texts } from "./texts.ts";
import { type About, useAbout } from "./use_about.ts";
import { ZoneField } from "./zone_field.tsx";

export function AboutCard({ user, etag }: { readonly user: User; readonly etag: string }) {
  const { about: said, conflict } = texts();
  const { form, clashed, goOn, takeTheirs, keepMine } = useAbout({ data: user, etag });
  return (
    <Card title={said.title} text={said.text}>
      <Form form={form} label={said.title}>
        <AboutFields form={form} />
        <FormActions form={form} whenDirty />
      </Form>
      <Dialog
        open={clashed}
        title={conflict.title}
        text={conflict.text}
        size="s"
        alert
        onClose={goOn}
        footer={
          <>
            <Button onClick={takeTheirs}>{conflict.theirs}</Button>
            <Button kind="primary" onClick={keepMine}>{conflict.mine}</Button>
          </>
        }
      />
    </Card>
  );
}

function AboutFields({ form }: { readonly form: FormState<About> }) {
  const { about: said } = texts();
  return (
    <>
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
    </>
  );
}
