// A link that opens a file without signing in, for a while.
import { useState } from "preact/hooks";
import { createFileLink, type DownloadUrl, type File as FileShown } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Checkbox, RadioGroup, TextField } from "../../parts/field.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { texts as common } from "../../parts/texts.ts";
import { Time } from "../../parts/time.tsx";
import { previewOf } from "./kinds.ts";
import { fileTexts } from "./file_texts.ts";

const FORM = "file-link";

type Span = "hour" | "day" | "week";

/** Seconds. */
const SPANS: Readonly<Record<Span, number>> = { hour: 3600, day: 86_400, week: 604_800 };

export function LinkDialog({ file, onClose }: { file: FileShown; onClose: () => void }) {
  const { link: said } = fileTexts();
  const [made, setMade] = useState<DownloadUrl | null>(null);
  const form = useForm({
    initial: { span: "day" as Span, inline: false },
    async submit({ span, inline }) {
      const { data } = await createFileLink({
        path: { id: file.id },
        body: { expiresIn: SPANS[span], disposition: inline ? "inline" : "attachment" },
      });
      setMade(data);
    },
  });
  const url = made && new URL(made.url, location.href).href;
  return (
    <Dialog
      open
      title={said.title(file.name)}
      text={said.text}
      onClose={onClose}
      footer={url
        ? (
          <>
            <Button onClick={onClose}>{common().close}</Button>
            <CopyButton text={url} wide size="m" />
          </>
        )
        : (
          <>
            <Button onClick={onClose}>{common().cancel}</Button>
            <Button type="submit" form={FORM} kind="primary" busy={form.busy.value}>
              {said.make}
            </Button>
          </>
        )}
    >
      {url
        ? (
          <div class="stack stack-tight">
            <TextField label={said.address} value={url} onChange={() => {}} technical readOnly />
            <p class="muted small">
              {said.ends} <Time at={made.expiresAt} style="dateTime" />. {said.note}
            </p>
          </div>
        )
        : (
          <Form form={form} id={FORM} label={said.title(file.name)}>
            <RadioGroup<Span>
              label={said.lasts}
              segmented
              options={(["hour", "day", "week"] as const).map((value) => ({
                value,
                label: said[value],
              }))}
              {...form.field("span")}
            />
            {["image", "audio", "video"].includes(previewOf(file)) && (
              <Checkbox label={said.inline} {...form.field("inline")} />
            )}
          </Form>
        )}
    </Dialog>
  );
}
