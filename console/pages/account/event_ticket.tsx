// A ticket to open the stream of events with, and what to do with it: for people who build on the API.
import { useEffect, useState } from "preact/hooks";
import { createEventTicket, type EventTicket as Ticket } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CodeBlock } from "../../parts/code.tsx";
import { Notice } from "../../parts/problem.tsx";
import { place } from "../../state/place.ts";
import { useBusy } from "../../state/use_busy.ts";
import { texts } from "./texts.ts";

export function EventTicket() {
  const said = texts().ticket;
  const [made, show] = useState<Ticket | null>(null);
  const [over, end] = useState(false);
  const { busy, run } = useBusy();
  useEffect(() => {
    end(false);
    if (!made) return;
    const timer = setTimeout(() => end(true), made.expiresIn * 1000);
    return () => clearTimeout(timer);
  }, [made]);
  const mint = () => run(async () => show((await createEventTicket()).data));
  const stream = `${location.origin}${place.api}/events`;
  const url = `${stream}?ticket=${encodeURIComponent(made?.ticket ?? "")}`;
  return (
    <Card
      title={said.title}
      text={said.text}
      actions={
        <Button size="s" icon="plus" busy={busy} onClick={() => void mint()}>{said.mint}</Button>
      }
    >
      <div class="stack">
        {made && (
          <>
            <Notice tone={over ? "warning" : "info"}>
              {over ? said.over : said.good(made.expiresIn)}
            </Notice>
            <CodeBlock label={said.copyCurl} text={`curl -N "${url}"`} />
            <CodeBlock
              label={said.copySource}
              text={[
                `const events = new EventSource("${url}");`,
                `events.addEventListener("documents.updated", ({ data }) => console.log(JSON.parse(data)));`,
              ].join("\n")}
            />
          </>
        )}
        <p class="muted small">{said.program}</p>
        <CodeBlock
          label={said.copyProgram}
          text={`curl -X POST -H "Authorization: Bearer $API_KEY" "${stream}/ticket"`}
        />
      </div>
    </Card>
  );
}
