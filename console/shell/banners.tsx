// What has to be known on every page: that the connection is lost, and that one acts as somebody else.
import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { connected } from "../state/live.ts";
import { impersonating, stopActing } from "../state/session.ts";
import { texts } from "./texts.ts";

/** Milliseconds without the stream of events until it is told: a restart of the server takes less. */
const PATIENCE = 4000;

export function Banners() {
  const { offline, acting, stopActing: stop } = texts();
  const lost = useLost();
  return (
    <>
      <div role="status">
        {lost && (
          <p class="banner warn">
            <Icon name="warning" />
            {offline}
          </p>
        )}
      </div>
      {impersonating.value !== null && (
        <div class="banner acting" role="region" aria-label={acting(impersonating.value)}>
          <Icon name="eye" />
          <span>{acting(impersonating.value)}</span>
          <Button
            size="s"
            onClick={stopActing}
          >
            {stop}
          </Button>
        </div>
      )}
    </>
  );
}

/** Whether the server has been out of reach for longer than a moment. */
function useLost(): boolean {
  const [lost, setLost] = useState(false);
  const away = connected.value === false;
  useEffect(() => {
    if (!away) return setLost(false);
    const timer = setTimeout(() => setLost(true), PATIENCE);
    return () => clearTimeout(timer);
  }, [away]);
  return lost;
}
