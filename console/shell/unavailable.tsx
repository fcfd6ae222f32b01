// What stands in place of a page that is not there, may not be seen, or could not be loaded.
import { useEffect } from "preact/hooks";
import { home } from "../state/reach.ts";
import { Empty } from "../parts/empty.tsx";
import { Problem } from "../parts/problem.tsx";
import { Button } from "../parts/button.tsx";
import { texts } from "./texts.ts";

export function NotFound() {
  const { notFound, notFoundText, home: toHome } = texts();
  useTitle(notFound);
  return (
    <Empty
      icon="search"
      title={notFound}
      text={notFoundText}
      action={<Button href={home()}>{toHome}</Button>}
    />
  );
}

export function Forbidden() {
  const { forbidden, forbiddenText, home: toHome } = texts();
  useTitle(forbidden);
  return (
    <Empty
      icon="lock"
      title={forbidden}
      text={forbiddenText}
      action={<Button href={home()}>{toHome}</Button>}
    />
  );
}

export function NotLoaded({ error, retry }: { error: unknown; retry: () => void }) {
  return <Problem error={error} retry={retry} />;
}

function useTitle(title: string) {
  useEffect(() => void (document.title = `${title} · Quarterdeck`), [title]);
}
