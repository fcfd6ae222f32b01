// The settings that are in force: what each is, where it comes from, what it means. Secrets are told by name alone.
import { useMemo } from "preact/hooks";
import { listSettings, type Setting } from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Switch } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchField } from "../../parts/search_field.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useParameter } from "../../state/address.ts";
import { listed, number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { meaningOf } from "./meanings.ts";
import { texts } from "./texts.ts";

const TONES: Readonly<Record<Setting["source"], Tone>> = {
  environment: "accent",
  file: "note",
  generated: "good",
  default: "neutral",
};

export default function SettingsPage() {
  const said = texts();
  const [search, setSearch] = useParameter("search");
  const [set, setSet] = useParameter("set");
  const { data, error, refetch } = useQuery(
    ["settings"],
    async (signal) => (await listSettings({ signal })).data,
  );
  const shown = useMemo(
    () => data?.filter((one) => matches(one, search) && (set === "" || one.source !== "default")),
    [data, search, set, said],
  );
  const columns = useMemo(() => columnsOf(), [said]);
  return (
    <Page title={said.title} text={said.text}>
      <div class="toolbar">
        <SearchField
          class="toolbar-search"
          label={said.search}
          value={search}
          onChange={setSearch}
        />
        <Switch
          label={said.onlyChanged}
          value={set !== ""}
          onChange={(on) => setSet(on ? "yes" : "")}
        />
        <span class="toolbar-end muted small" role="status">
          {data && said.count(number(shown!.length), number(data.length))}
        </span>
      </div>
      <Table
        label={said.title}
        columns={columns}
        rows={shown}
        rowId={({ name }) => name}
        error={error ?? undefined}
        retry={refetch}
        fill
        tall
        empty={<Empty icon="search" title={said.none} text={said.noneText} />}
      />
    </Page>
  );
}

function matches(setting: Setting, search: string): boolean {
  const { name, aliases, value } = setting;
  const sought = search.trim().toLowerCase();
  return [name, ...aliases, value ?? "", meaningOf(setting)].some((text) =>
    text.toLowerCase().includes(sought)
  );
}

function columnsOf(): Column<Setting>[] {
  const said = texts();
  return [
    {
      id: "name",
      title: said.name,
      width: "22rem",
      render: (setting) => <Name {...setting} />,
    },
    {
      id: "value",
      title: said.value,
      render: (setting) => <Value {...setting} />,
    },
    {
      id: "source",
      title: said.source,
      width: "10rem",
      render: ({ source }) => <Badge tone={TONES[source]}>{said.sources[source]}</Badge>,
    },
  ];
}

function Name(setting: Setting) {
  const { name, aliases } = setting;
  return (
    <span class="setting">
      <code>{name}</code>
      <span class="muted small">{meaningOf(setting)}</span>
      {aliases.length > 0 && <span class="muted small">{texts().aliases(listed(aliases))}</span>}
    </span>
  );
}

function Value({ value, set, secret, source, default: fallback }: Setting) {
  const said = texts();
  if (secret) return <span class="muted">{set ? said.secretSet : said.secretUnset}</span>;
  if (value === null || value === "") return <span class="muted">{said.unset}</span>;
  const other = source !== "default" && fallback !== null && fallback !== "" && fallback !== value;
  return (
    <span class="setting">
      <code>{value}</code>
      {other && <span class="muted small">{said.fallback(fallback)}</span>}
    </span>
  );
}
