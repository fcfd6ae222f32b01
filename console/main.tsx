// Starts the console: reads who is signed in, then shows the page of the address.
import { render } from "preact";
import { LocationProvider } from "preact-iso/router";
import { followLanguage } from "./state/language.ts";
import { keepPreferences } from "./state/kept_preferences.ts";
import { followLive } from "./state/live.ts";
import { PAGES_OF_CONSOLE } from "./state/place.ts";
import { followPreferences } from "./state/preferences.ts";
import { loadUser, session, user } from "./state/session.ts";
import { Start } from "./shell/start.tsx";

followPreferences();
followLanguage();
followLive();
keepPreferences();
session.onChange(() => {
  // In another tab, or because the session has ended.
  if (!session.signedIn && user.peek()) void loadUser().catch(() => {});
  if (session.signedIn && user.peek() === null) void loadUser().catch(() => {});
});

render(
  <LocationProvider scope={PAGES_OF_CONSOLE}>
    <Start />
  </LocationProvider>,
  document.getElementById("console")!,
);
