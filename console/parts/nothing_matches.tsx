// What stands where filters leave nothing of a list, and the way to see all of it again.
import { Button } from "./button.tsx";
import { Empty } from "./empty.tsx";
import { texts } from "./texts.ts";

export function NothingMatches({ onClear }: { readonly onClear: () => void }) {
  const said = texts().list;
  return (
    <Empty
      icon="search"
      title={said.nothing}
      text={said.nothingText}
      action={<Button onClick={onClear}>{said.clearFilters}</Button>}
    />
  );
}
