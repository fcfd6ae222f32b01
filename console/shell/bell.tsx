// How many notifications are unread, and whether the page is live.
import { countUnreadNotifications } from "../../client/mod.ts";
import { Icon } from "../parts/icon.tsx";
import { compactNumber } from "../state/format.ts";
import { connected } from "../state/live.ts";
import { serves } from "../state/place.ts";
import { useQuery } from "../state/query.ts";
import { texts } from "./texts.ts";

export function Bell() {
  const { live, notLive } = texts();
  const state = connected.value === false ? notLive : live;
  return (
    <div class="top-bar-end">
      <span
        class={`live-dot${connected.value ? " on" : ""}`}
        role="img"
        aria-label={state}
        title={state}
      />
      {serves("notifications") && <Unread />}
    </div>
  );
}

function Unread() {
  const { pages, unread } = texts();
  const { data: count = 0 } = useQuery(
    ["notifications", "unread"],
    async (signal) => (await countUnreadNotifications({ signal })).data.count,
  );
  const label = count > 0 ? unread(count) : pages.notifications;
  return (
    <a class="bell" href="/notifications" aria-label={label} title={label}>
      <Icon name="bell" />
      {count > 0 && <span class="bell-count" aria-hidden="true">{compactNumber(count)}</span>}
    </a>
  );
}
