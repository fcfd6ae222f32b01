// How the console looks and speaks, and its keys.
import { Fragment } from "preact";
import { Card } from "../../parts/card.tsx";
import { RadioGroup, Select } from "../../parts/field.tsx";
import { Kbd } from "../../parts/kbd.tsx";
import { date } from "../../state/format.ts";
import { LANGUAGES } from "../../state/language.ts";
import { prefer, type Preferences as Chosen, preferences } from "../../state/preferences.ts";
import { type Shortcut, shortcuts } from "../../state/shortcuts.ts";
import { AccountPage } from "./page.tsx";
import { texts } from "./texts.ts";
import { ZoneField } from "./zone_field.tsx";

type Theme = NonNullable<Chosen["theme"]> | "";
type Direction = NonNullable<Chosen["direction"]>;

export default function Preferences() {
  const said = texts().preference;
  const { theme = "", language = "", direction = "ltr", timeZone = "" } = preferences.value;
  const browsers = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <AccountPage tab="preferences">
      <Card title={said.appearance} text={said.synced}>
        <div class="stack">
          <RadioGroup<Theme>
            segmented
            label={said.theme}
            value={theme}
            onChange={(value) => prefer({ theme: value || undefined })}
            options={[
              { value: "", label: said.system },
              { value: "light", label: said.light },
              { value: "dark", label: said.dark },
            ]}
          />
          <div class="columns">
            <Select
              label={said.language}
              value={language}
              onChange={(value) => prefer({ language: value || undefined })}
              options={[
                { value: "", label: said.browserLanguage },
                ...Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
              ]}
            />
            <Select<Direction>
              label={said.direction}
              value={direction}
              onChange={(value) => prefer({ direction: value === "rtl" ? value : undefined })}
              options={[{ value: "ltr", label: said.ltr }, { value: "rtl", label: said.rtl }]}
            />
          </div>
        </div>
      </Card>
      <Card title={said.times}>
        <ZoneField
          label={said.zone}
          value={timeZone}
          onChange={(value) => prefer({ timeZone: value || undefined })}
          none={said.browserZone(browsers.replaceAll("_", " "))}
          hint={said.example(date(Date.now(), "full"))}
        />
      </Card>
      <Card title={said.shortcuts} text={said.shortcutsText}>
        <Shortcuts />
      </Card>
    </AccountPage>
  );
}

const textOf = (text: Shortcut["label"]) => typeof text === "function" ? text() : text;

function Shortcuts() {
  return (
    <dl class="shortcut-list">
      {shortcuts.value.map(({ keys, label }) => (
        <Fragment key={keys}>
          <dt>{textOf(label)}</dt>
          <dd>
            <Kbd keys={keys} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
