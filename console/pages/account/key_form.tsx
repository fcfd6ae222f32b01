// What an API key is called, what it opens, from where and how long.
import { type ApiKey, createApiKey, updateApiKeyByPatch } from "../../../client/mod.ts";
import { DateField, Select, TagsField, TextField } from "../../parts/field.tsx";
import { Form, FormActions, useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { expiresAt, EXPIRIES, type Expiry } from "./expiry.ts";
import { ScopesField } from "./scopes_field.tsx";
import { texts } from "./texts.ts";

export interface KeyFormProps {
  /** The one that is changed; without, one is made. */
  readonly apiKey?: ApiKey;
  readonly onCancel: () => void;
  /** @param secret The new key itself. */
  readonly onDone: (secret?: string) => void;
}

export function KeyForm({ apiKey, onCancel, onDone }: KeyFormProps) {
  const { key: said, saved, save } = texts();
  const form = useForm({
    initial: {
      name: apiKey?.name ?? "",
      scopes: apiKey?.scopes ?? [] as readonly string[],
      addresses: apiKey?.addresses ?? [] as readonly string[],
      expiry: (apiKey ? apiKey.expiresAt ? "custom" : "never" : "90") as Expiry,
      expiresAt: apiKey?.expiresAt?.slice(0, 10) ?? "",
    },
    async submit({ name, scopes, addresses, expiry, expiresAt: day }) {
      const ends = expiresAt(expiry, day);
      const body = { name, scopes: [...scopes], addresses: [...addresses] };
      if (apiKey) {
        await updateApiKeyByPatch({ path: { id: apiKey.id }, body: { ...body, expiresAt: ends } });
        toast({ text: saved });
        refresh("apiKeys");
        return onDone();
      }
      const { data } = await createApiKey({
        body: { ...body, ...(ends ? { expiresAt: ends } : {}) },
      });
      refresh("apiKeys");
      onDone(data.key);
    },
  });
  const choices = EXPIRIES.map((value) => ({
    value,
    label: value === "never"
      ? said.never
      : value === "custom"
      ? said.custom
      : said.days(Number(value)),
  }));
  return (
    <Form form={form} label={apiKey ? said.editTitle : said.create} problem={said.problem}>
      <TextField
        {...form.field("name")}
        label={said.name}
        hint={said.nameHint}
        maxLength={100}
        autofocus
        required
      />
      <ScopesField {...form.field("scopes")} label={said.scopes} hint={said.scopesHint} />
      <div class="columns">
        <Select {...form.field("expiry")} label={said.expires} options={choices} />
        {form.values.expiry.value === "custom" && (
          <DateField
            {...form.field("expiresAt")}
            label={said.date}
            min={new Date().toISOString().slice(0, 10)}
            required
          />
        )}
      </div>
      <TagsField
        {...form.field("addresses")}
        label={said.addresses}
        hint={said.addressesHint}
        most={50}
      />
      <FormActions form={form} label={apiKey ? save : said.create} onCancel={onCancel} />
    </Form>
  );
}
