// Who is signed in, and what belongs to them: their pages, the appearance, the language, signing out.
import { roleLabel } from "../state/roles.ts";
import { Avatar } from "../parts/avatar.tsx";
import { type Action, Menu } from "../parts/menu.tsx";
import { language, LANGUAGES } from "../state/language.ts";
import { place } from "../state/place.ts";
import { prefer, preferences } from "../state/preferences.ts";
import { pagesOf } from "../state/reach.ts";
import { signOut, user } from "../state/session.ts";
import { hasPage } from "./components.ts";
import { leaveBy } from "./leaving.ts";
import { PAGE_ICONS } from "./navigation.tsx";
import { openShortcuts } from "./shortcuts_help.tsx";
import { texts } from "./texts.ts";

export function AccountMenu({ narrow }: { readonly narrow: boolean }) {
  const { account } = texts();
  const me = user.value;
  if (!me) return null;
  const role = roleLabel(me.role, me.roles[0]?.label);
  return (
    <Menu
      label={narrow ? `${account}: ${me.name}` : account}
      button={{ kind: "quiet", class: "account-button", iconEnd: undefined }}
      items={items()}
    >
      <span class="account">
        <Avatar name={me.name} src={me.avatar} size="m" />
        {!narrow && (
          <span class="account-name">
            <span class="cut">{me.name}</span> <small class="cut">{role}</small>
          </span>
        )}
      </span>
    </Menu>
  );
}

function items(): Action[] {
  const { pages, theme, light, dark, system, language: spoken, shortcuts, apiPage, signOut: out } =
    texts();
  const now = preferences.value.theme;
  return [
    ...pagesOf("account").filter(({ id }) => hasPage(id)).map(({ id, path }): Action => ({
      label: pages[id],
      icon: PAGE_ICONS[id],
      href: path,
    })),
    ...([[light, "light", "sun"], [dark, "dark", "moon"], [system, undefined, "monitor"]] as const)
      .map(([label, value, icon], index): Action => ({
        label,
        icon,
        checked: now === value,
        stay: true,
        ...(index === 0 ? { parted: true, heading: theme } : {}),
        run: () => prefer({ theme: value }),
      })),
    ...Object.entries(LANGUAGES).map(([code, name], index): Action => ({
      label: name,
      checked: language.value === code,
      stay: true,
      ...(index === 0 ? { parted: true, heading: spoken } : {}),
      run: () => prefer({ language: code }),
    })),
    { label: shortcuts, icon: "keyboard", keys: "?", parted: true, run: openShortcuts },
    { label: apiPage, icon: "external", href: `${place.api}/docs` },
    { label: out, icon: "sign-out", parted: true, run: () => void leaveBy(signOut) },
  ];
}
