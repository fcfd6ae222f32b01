// A section of the page, and what its parts stand in.
import type { ComponentChildren } from "preact";
import { Card } from "../../parts/card.tsx";

export function Section(
  { id, title, children }: { id: string; title: string; children: ComponentChildren },
) {
  return (
    <Card id={id} title={title} class="sample-section">
      <div class="stack">{children}</div>
    </Card>
  );
}

export function Row({ children }: { children: ComponentChildren }) {
  return <div class="row">{children}</div>;
}
