// The frame of the pages of one's account: the same tabs on each.
import type { ComponentChildren } from "preact";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { pagesOf } from "../../state/reach.ts";
import { texts } from "./texts.ts";

const TABS = ["profile", "security", "sessions", "keys", "data", "preferences"] as const;
type Tab = (typeof TABS)[number];

export function AccountPage(
  { tab, actions, children }: {
    readonly tab: Tab;
    readonly actions?: ComponentChildren;
    readonly children: ComponentChildren;
  },
) {
  const said = texts();
  const open = pagesOf("account");
  const tabs = TABS.flatMap((id) => {
    const page = open.find((one) => one.id === id);
    return page ? [{ id, label: said[id], href: page.path }] : [];
  });
  return (
    <Page
      title={said[tab]}
      narrow
      actions={actions}
      tabs={<Tabs label={said.tabs} tabs={tabs} value={tab} />}
    >
      <div class="stack account-page">{children}</div>
    </Page>
  );
}
