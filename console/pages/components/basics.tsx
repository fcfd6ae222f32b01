// Colours, type, buttons, icons.
import { useState } from "preact/hooks";
import { Button, ButtonGroup, IconButton } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { SHAPES } from "../../parts/icon_shapes.ts";
import { Row, Section } from "./section.tsx";
import { texts } from "./texts.ts";

const COLOURS = [
  "ground",
  "surface",
  "sunken",
  "line",
  "line-strong",
  "control-line",
  "faint",
  "muted",
  "text",
  "accent",
  "accent-soft",
  "good",
  "good-soft",
  "warn",
  "warn-soft",
  "bad",
  "bad-soft",
  "note",
  "note-soft",
  "chart-1",
  "chart-2",
  "chart-3",
  "chart-4",
  "chart-5",
  "chart-6",
] as const;

export function Colours() {
  return (
    <Section id="colours" title={texts().colours}>
      <ul class="sample-colours">
        {COLOURS.map((name) => (
          <li key={name}>
            <span class="sample-colour" style={{ background: `var(--${name})` }} />
            <code class="small">{name}</code>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Type() {
  const { heading, bodyText, smallText, tinyText } = texts();
  return (
    <Section id="type" title={texts().type}>
      <p class="sample-title">{heading}</p>
      <p>{bodyText}</p>
      <p class="small">{smallText}</p>
      <p class="sample-tiny muted">{tinyText}</p>
      <p class="number">0123456789 · 1,234.50 · 98,765.43</p>
    </Section>
  );
}

export function Buttons() {
  const said = texts();
  const [busy, setBusy] = useState(false);
  const [view, setView] = useState("week");
  const work = () => {
    setBusy(true);
    setTimeout(() => setBusy(false), 1500);
  };
  const views = [["day", said.day], ["week", said.week], ["month", said.month]] as const;
  return (
    <Section id="buttons" title={said.buttons}>
      <Row>
        <Button kind="primary" icon="plus">{said.primary}</Button>
        <Button icon="edit">{said.plain}</Button>
        <Button kind="quiet">{said.quiet}</Button>
        <Button kind="danger" icon="trash">{said.danger}</Button>
        <Button href="#buttons" iconEnd="external">{said.asLink}</Button>
        <Button disabled>{said.disabled}</Button>
      </Row>
      <Row>
        <Button kind="primary" busy={busy} onClick={work}>{said.press}</Button>
        <Button busy={busy} onClick={work}>{said.busy}</Button>
        <Button size="s" icon="download">{said.small}</Button>
        <Button size="s" kind="primary">{said.small}</Button>
        <ButtonGroup label={said.group}>
          {views.map(([id, label]) => (
            <Button
              key={id}
              size="s"
              aria-pressed={view === id}
              onClick={() => setView(id)}
            >
              {label}
            </Button>
          ))}
        </ButtonGroup>
        <IconButton icon="refresh" label={said.open} />
        <IconButton icon="bell" label={said.info} count={3} />
        <IconButton icon="trash" label={said.danger} kind="plain" />
      </Row>
    </Section>
  );
}

export function Icons() {
  return (
    <Section id="icons" title={texts().icons}>
      <ul class="sample-icons">
        {(Object.keys(SHAPES) as IconName[]).map((name) => (
          <li key={name}>
            <Icon name={name} size={20} />
            <span class="cut">{name}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
