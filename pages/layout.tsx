// The frame of every page that the server writes: head and logo.
import type { Child } from "hono/jsx";

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

/** One card in the middle. */
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
