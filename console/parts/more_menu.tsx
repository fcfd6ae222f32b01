// The menu at the head of a page: what is done there seldom. Nothing, where one may do none of it.
import { type Action, Menu } from "./menu.tsx";
import { texts } from "./texts.ts";

export function MoreMenu({ items }: { readonly items: readonly Action[] }) {
  if (items.length === 0) return null;
  return (
    <Menu
      label={texts().more}
      icon="more"
      iconOnly
      align="end"
      button={{ kind: "plain" }}
      items={items}
    />
  );
}
