// What the pages of mailed links have in common: a token, and what is said where it is missing.
import type { ComponentChildren } from "preact";
import { Notice } from "../../parts/problem.tsx";
import { EntryCard } from "../../shell/entry_card.tsx";
import { texts } from "./texts.ts";
import { useToken } from "./token.ts";

export interface LinkCardProps {
  readonly title: string;
  readonly text: string;
  /** Whether a new link can be asked for. */
  readonly renewable?: boolean;
  readonly children: (token: string) => ComponentChildren;
}

export function LinkCard({ title, text, renewable = false, children }: LinkCardProps) {
  const { link, back } = texts();
  const token = useToken();
  const links = (
    <>
      {renewable && <a href="/forgot-password">{link.renew}</a>}
      <a href="/login">{back}</a>
    </>
  );
  return (
    <EntryCard title={title} text={token ? text : undefined} links={links}>
      {token ? children(token) : <Notice tone="error">{link.incomplete}</Notice>}
    </EntryCard>
  );
}
