// The demo's snippets: one page of each of the people that one may sign in as.
import { snippets } from "../../models/snippets.ts";
import { sourceBytes } from "../snippets/markdown.ts";
import type { People } from "./people.ts";
import { type World } from "./world.ts";
import { DAY } from "../../core/units.ts";

export function addSnippets(world: World, { protagonists }: People): void {
  protagonists.forEach(({ id, name }, index) => {
    const content = `# Notes of ${name}\n\n- [x] read the figures\n- [ ] answer the customer\n`;
    world.add(snippets, world.now - (index + 2) * DAY, {
      content,
      language: "markdown",
      userId: id,
      size: sourceBytes(content),
    });
  });
}
