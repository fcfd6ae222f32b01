// The frame of every page: head, logo, navigation.
import type { Child } from "hono/jsx";
import type { Principal } from "../services/access/access.ts";
import { permits } from "../services/access/access.ts";

/** Paths of the stylesheet and the icon. They change with the content, so that browsers may keep the files for good. */
export interface Assets {
  readonly stylesheet: string;
  readonly icon: string;
}

interface DocumentProps {
  readonly assets: Assets;
  readonly title: string;
  readonly children: Child;
}

function Document({ assets, title, children }: DocumentProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title} · Quarterdeck</title>
        <link rel="icon" type="image/svg+xml" href={assets.icon} />
        <link rel="stylesheet" href={assets.stylesheet} />
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        {children}
      </body>
    </html>
  );
}

function Logo() {
  return (
    <span class="logo">
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <rect width="32" height="32" rx="8" class="logo-ground" />
        <path d="M16 6v20M9 13h14M8 19c1 5 4 7 8 7s7-2 8-7" class="logo-line" />
        <circle cx="16" cy="7.5" r="2.5" class="logo-line" />
      </svg>
      Quarterdeck
    </span>
  );
}

/** A page for those who are not signed in: one card in the middle. */
export function CardPage(
  { assets, title, lead, children }: DocumentProps & { readonly lead?: string },
) {
  return (
    <Document assets={assets} title={title}>
      <div class="card-page">
        <header>
          <Logo />
        </header>
        <main id="main" class="card form-card">
          <h1>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
          {children}
        </main>
      </div>
    </Document>
  );
}

const ICONS = {
  dashboard: "M3 3h6v8H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 13h6v4H3z",
  users:
    "M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 16.5c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5M13 4a3 3 0 0 1 " +
    "0 5.5M14.5 12.2c2 .5 3.5 2 3.5 4.3",
  lock: "M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3",
  out: "M8 3H4v14h4M12 6l4 4-4 4M16 10H7",
};

function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}

function NavLink(
  { href, icon, label, here }: {
    href: string;
    icon: keyof typeof ICONS;
    label: string;
    here: string;
  },
) {
  return (
    <li>
      <a href={href} aria-current={href === here ? "page" : undefined}>
        <Icon name={icon} />
        {label}
      </a>
    </li>
  );
}

/** A page for those who are signed in. */
export function AppPage(
  { assets, title, here, principal, children }: DocumentProps & {
    /** Path of the page in the navigation. */
    readonly here: string;
    readonly principal: Principal;
  },
) {
  const { user, role } = principal;
  return (
    <Document assets={assets} title={title}>
      <div class="app">
        <header class="side">
          <Logo />
          <nav aria-label="Main">
            <ul>
              <NavLink href="/dashboard" icon="dashboard" label="Dashboard" here={here} />
              {permits(principal.permissions, "users:view") && (
                <NavLink href="/users" icon="users" label="Users" here={here} />
              )}
              <NavLink href="/second-factor" icon="lock" label="Security" here={here} />
            </ul>
          </nav>
          <div class="account">
            <Avatar name={user.name} />
            <span class="who">
              <strong>{user.name}</strong>
              <span class="muted">{role?.label ?? user.role}</span>
            </span>
            <form method="post" action="/logout">
              <button class="icon-button" type="submit" title="Log out">
                <Icon name="out" />
                <span class="hidden">Log out</span>
              </button>
            </form>
          </div>
        </header>
        <main id="main" tabindex={-1}>{children}</main>
      </div>
    </Document>
  );
}

/** A person's initials. */
export function Avatar({ name }: { name: string }) {
  const words = name.split(/\s+/).filter(Boolean);
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? "")][0] ?? "").join("").toUpperCase();
  return <span class={`avatar tint-${tint(name)}`} aria-hidden="true">{initials}</span>;
}

/** The same colour for the same name, each time. */
function tint(name: string): number {
  return [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 997, 7) % 6;
}
