// The parts of the console, each in its states: for those who build pages of them.
import { RadioGroup } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { prefer, preferences } from "../../state/preferences.ts";
import { Buttons, Colours, Icons, Type } from "./basics.tsx";
import { Charts } from "./charts.tsx";
import { Fields, SampleForm } from "./fields.tsx";
import { Overlays } from "./overlays.tsx";
import { Navigation, States } from "./states.tsx";
import { LongTable, SampleTable } from "./tables.tsx";
import { texts } from "./texts.ts";

export default function Components() {
  const said = texts();
  const sections = [
    ["buttons", said.buttons],
    ["fields", said.fields],
    ["form", said.form],
    ["overlays", said.overlays],
    ["navigation", said.navigation],
    ["states", said.states],
    ["table", said.table],
    ["long-table", said.longTable],
    ["charts", said.charts],
    ["type", said.type],
    ["colours", said.colours],
    ["icons", said.icons],
  ] as const;
  return (
    <Page title={said.title} text={said.text} actions={<Switches />}>
      <nav class="sample-nav" aria-label={said.sections}>
        {sections.map(([id, title]) => <a key={id} href={`#${id}`}>{title}</a>)}
      </nav>
      <Buttons />
      <Fields />
      <SampleForm />
      <Overlays />
      <Navigation />
      <States />
      <SampleTable />
      <LongTable />
      <Charts />
      <div class="columns">
        <Type />
        <Colours />
      </div>
      <Icons />
    </Page>
  );
}

function Switches() {
  const said = texts();
  const { theme, direction } = preferences.value;
  return (
    <>
      <RadioGroup
        label={said.theme}
        hideLabel
        segmented
        value={theme ?? "system"}
        options={[
          { value: "light", label: said.light },
          { value: "dark", label: said.dark },
          { value: "system", label: said.system },
        ]}
        onChange={(value) =>
          prefer({ theme: value === "system" ? undefined : value as "light" | "dark" })}
      />
      <RadioGroup
        label={said.direction}
        hideLabel
        segmented
        value={direction ?? "ltr"}
        options={[
          { value: "ltr", label: said.leftToRight },
          { value: "rtl", label: said.rightToLeft },
        ]}
        onChange={(value) => prefer({ direction: value === "rtl" ? "rtl" : undefined })}
      />
    </>
  );
}
