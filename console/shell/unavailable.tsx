// What stands in place of a page that is not there, may not be seen, or could not be loaded.
import { useEffect } from "preact/hooks";
import { connected } from "../state/live.ts";
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
      whole
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
      whole
      icon="lock"
      title={forbidden}
      text={forbiddenText}
      action={<Button href={home()}>{toHome}</Button>}
    />
  );
}

/** What the browser says of it names a file of the program: that is not for people. */
export function NotLoaded({ retry }: { retry: () => void }) {
  useEffect(() => {
    let open = connected.peek();
    // It may still seem open, or be open again already: only when it comes back is there something new to try.
    const end = connected.subscribe((now) => {
      if (now && !open) retry();
      open = now;
    });
    addEventListener("online", retry);
    return () => {
      end();
      removeEventListener("online", retry);
    };
  }, []);
  return <Problem error={new Error(texts().notLoaded)} retry={retry} />;
}

function useTitle(title: string) {
  useEffect(() => void (document.title = `${title} · Quarterdeck`), [title]);
}
