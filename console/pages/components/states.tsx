// Badges, people, emptiness, problems, waiting, progress, tabs.
import { useState } from "preact/hooks";
import { ApiError } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Code, CodeBlock, CopyButton } from "../../parts/code.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Kbd } from "../../parts/kbd.tsx";
import { Person } from "../../parts/person.tsx";
import { Notice, Problem } from "../../parts/problem.tsx";
import { Progress } from "../../parts/progress.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Spinner } from "../../parts/spinner.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { Row, Section } from "./section.tsx";
import { texts } from "./texts.ts";

const MINUTES = 60_000;
const loadedAt = Date.now();

export function States() {
  const said = texts();
  const refused = new ApiError(said.problemMessage, 500, "INTERNAL", [], "01J9X3QW5MZ8");
  const away = new ApiError("", 0, "NETWORK_ERROR");
  return (
    <Section id="states" title={said.states}>
      <Row>
        <Badge>{said.draft}</Badge>
        <Badge tone="accent">{said.beta}</Badge>
        <Badge tone="good" icon="check">{said.active}</Badge>
        <Badge tone="warn">{said.invited}</Badge>
        <Badge tone="bad">{said.overdue}</Badge>
        <Badge tone="note">{said.shared}</Badge>
        <Badge dot tone="good">{said.active}</Badge>
        <Badge dot tone="warn">{said.invited}</Badge>
        <Badge dot tone="bad">{said.suspended}</Badge>
      </Row>
      <Row>
        <Avatar name="Ada Lovelace" size="s" />
        <Avatar name="Grace Hopper" />
        <Avatar name="王小明" size="l" />
        <Person name="Katherine Johnson" detail="katherine@example.com" href="#states" />
        <span class="muted">
          <Time at={loadedAt - 3 * MINUTES} />
        </span>
        <span class="muted">
          <Time at={loadedAt} style="dateTime" />
        </span>
        <Spinner size={20} label={said.waiting} />
        <Kbd keys="mod+k" />
        <Kbd keys="g u" />
        <Code text="01J9X3QW5MZ8" label={said.copyKey} />
        <CopyButton text="qd_live_01J9X3" label={said.copyKey} wide />
      </Row>
      <div class="columns">
        <div class="stack">
          <Notice>{said.noticeInfo}</Notice>
          <Notice tone="success">{said.noticeSuccess}</Notice>
          <Notice tone="warning" action={<Button size="s">{said.open}</Button>}>
            {said.noticeWarning}
          </Notice>
          <Notice tone="error" title={said.toastError}>{said.noticeError}</Notice>
        </div>
        <div class="stack">
          <Progress label={said.upload} value={0.42} shown />
          <Progress label={said.storage} value={0.93} shown tone="warn" />
          <Progress label={said.waiting} />
          <Skeleton lines={2} />
          <Skeleton rows={2} />
        </div>
      </div>
      <CodeBlock
        text={`curl -H "Authorization: Bearer qd_live_…" \\\n  https://example.com/api/users?limit=20`}
        label={said.code}
      />
      <div class="columns">
        <div class="sample-box">
          <Empty
            icon="documents"
            title={said.empty}
            text={said.emptyText}
            action={<Button kind="primary" icon="plus">{said.newDocument}</Button>}
          />
        </div>
        <div class="sample-box">
          <Problem error={refused} retry={() => {}} />
        </div>
        <div class="sample-box">
          <Problem error={away} retry={() => {}} />
        </div>
      </div>
    </Section>
  );
}

export function Navigation() {
  const said = texts();
  const [tab, setTab] = useState<"overview" | "members" | "history">("overview");
  return (
    <Section id="navigation" title={said.navigation}>
      <Tabs
        label={said.navigation}
        value={tab}
        onChange={setTab}
        tabs={[
          { id: "overview", label: said.overview },
          { id: "members", label: said.members, count: 12 },
          { id: "history", label: said.history, icon: "history" },
        ]}
      >
        <p>{said.panel(said[tab])}</p>
      </Tabs>
      <Tabs
        label={said.documents}
        value="members"
        tabs={[
          { id: "overview", label: said.overview, href: "#overview" },
          { id: "members", label: said.members, href: "#navigation" },
        ]}
      />
    </Section>
  );
}
