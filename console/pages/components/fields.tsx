// Fields, and a form that the server refuses once.
import { useState } from "preact/hooks";
import { ApiError } from "../../../client/mod.ts";
import {
  Checkbox,
  Combobox,
  DateField,
  DateTimeField,
  PasswordField,
  type PersonChoice,
  PersonPicker,
  RadioGroup,
  SearchField,
  Select,
  Switch,
  TagsField,
  TextArea,
  TextField,
} from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { toast } from "../../state/toasts.ts";
import { findPeople } from "./samples.ts";
import { Section } from "./section.tsx";
import { texts } from "./texts.ts";

export function Fields() {
  const said = texts();
  const [text, setText] = useState("");
  const [taken, setTaken] = useState("ada@example.com");
  const [password, setPassword] = useState("");
  const [about, setAbout] = useState("");
  const [role, setRole] = useState<"admin" | "editor" | "viewer">("editor");
  const [day, setDay] = useState("2026-11-22");
  const [moment, setMoment] = useState("2026-11-22T09:30:00.000Z");
  const [members, setMembers] = useState<readonly PersonChoice[]>([
    { value: "sample-0", label: "Ada Lovelace" },
    { value: "sample-1", label: "Grace Hopper" },
  ]);
  const [owner, setOwner] = useState<readonly PersonChoice[]>([{
    value: "sample-2",
    label: "Alan Turing",
  }]);
  const [country, setCountry] = useState<readonly PersonChoice[]>([]);
  const [tags, setTags] = useState<readonly string[]>(["draft", "2026"]);
  const [letter, setLetter] = useState(true);
  const [on, setOn] = useState(true);
  const [search, setSearch] = useState("");
  const roles = (["admin", "editor", "viewer"] as const).map((value) => ({
    value,
    label: said.roles[value],
    description: said.roleTexts[value],
  }));
  return (
    <Section id="fields" title={said.fields}>
      <div class="columns">
        <TextField
          label={said.name}
          hint={said.nameHint}
          placeholder={said.namePlaceholder}
          value={text}
          onChange={setText}
        />
        <TextField
          label={said.email}
          type="email"
          required
          error={said.emailError}
          value={taken}
          onChange={setTaken}
        />
        <PasswordField label={said.password} isNew value={password} onChange={setPassword} />
        <Select label={said.role} value={role} options={roles} onChange={setRole} />
        <DateField label={said.due} value={day} onChange={setDay} />
        <DateTimeField label={said.meeting} value={moment} onChange={setMoment} />
        <PersonPicker label={said.owner} value={owner} onChange={setOwner} load={findPeople} />
        <PersonPicker
          label={said.people}
          multiple
          value={members}
          onChange={setMembers}
          load={findPeople}
        />
        <Combobox label={said.person} value={country} onChange={setCountry} load={findPeople} />
        <TagsField
          label={said.tags}
          value={tags}
          onChange={setTags}
          suggestions={["draft", "final"]}
        />
        <TextArea label={said.about} value={about} onChange={setAbout} />
        <TextField
          label={said.disabledField}
          value="quarterdeck"
          onChange={() => {}}
          disabled
          technical
        />
        <RadioGroup label={said.role} value={role} options={roles} onChange={setRole} />
        <div class="stack">
          <Checkbox label={said.newsletter} value={letter} onChange={setLetter} />
          <Checkbox label={said.filters} value={false} mixed onChange={() => {}} />
          <Checkbox label={said.disabled} value disabled onChange={() => {}} />
          <Switch label={said.active} hint={said.activeHint} value={on} onChange={setOn} />
          <RadioGroup
            label={said.filters}
            segmented
            value={role}
            options={roles.map(({ value, label }) => ({ value, label }))}
            onChange={setRole}
          />
        </div>
        <SearchField value={search} onChange={setSearch} />
      </div>
    </Section>
  );
}

export function SampleForm() {
  const said = texts();
  const form = useForm({
    initial: { title: "", owner: "" },
    check: ({ title }) => ({ title: title.trim() ? undefined : said.nameMissing }),
    async submit({ title }) {
      await new Promise((resolve) => setTimeout(resolve, 600));
      if (title.toLowerCase() === "taken") {
        throw new ApiError(said.problemMessage, 422, "VALIDATION_ERROR", [
          { field: "title", message: said.titleTaken },
        ], "01J9X3QW5M");
      }
      toast({ text: said.saved });
      form.reset({ title: "", owner: "" });
    },
  });
  return (
    <Section id="form" title={said.form}>
      <Form form={form} label={said.form}>
        <div class="columns">
          <TextField label={said.name} required {...form.field("title")} />
          <TextField label={said.owner} {...form.field("owner")} />
        </div>
        <FormActions form={form} whenDirty={false} onCancel={() => form.reset()} />
      </Form>
    </Section>
  );
}
