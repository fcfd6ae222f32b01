// Texts that tell a number: of one thing they speak as of one.
import assert from "node:assert/strict";
import { preferences } from "../../console/state/preferences.ts";

/** Numbers that are limits or choices of the server, and never one. */
const NEVER_ONE = [
  "pages/account/texts.key.days",
  "pages/account/texts.ticket.good",
  "pages/audit/texts.long",
  "pages/files/uploadTexts.forAll",
  "pages/files/uploadTexts.tooMany",
  "pages/health/texts.days",
  "pages/overview/texts.actsIn",
  "pages/overview/texts.days",
  "pages/overview/texts.newestActs",
  "pages/roles/texts.matrix.reach",
  "parts/texts.longer",
];
/** What stands after a name, which may be `1`. */
const AFTER_NAME = /^(is|was|has|does|asks|owns|shows|holds|needs|as)$/;

function* functionsIn(
  texts: unknown,
  path: string,
): Generator<[string, (...args: unknown[]) => unknown]> {
  if (typeof texts === "function") yield [path, texts as () => unknown];
  else if (typeof texts === "object" && texts !== null) {
    for (const [name, text] of Object.entries(texts)) yield* functionsIn(text, `${path}.${name}`);
  }
}

const manyOf = (text: unknown) =>
  [...String(text).matchAll(/(?<![\w:.])1 ([a-z]+s)\b/g)].some(([, word]) =>
    !AFTER_NAME.test(word!)
  );

Deno.test("texts: of one thing they speak as of one", async () => {
  preferences.value = { language: "en" };
  const found: string[] = [];
  for (const folder of ["parts", "shell", "state"]) await look(folder, found);
  for await (
    const { name, isDirectory } of Deno.readDir(new URL("../../console/pages/", import.meta.url))
  ) {
    if (isDirectory) await look(`pages/${name}`, found);
  }
  assert.deepEqual(found.toSorted(), NEVER_ONE);
});

async function look(folder: string, found: string[]): Promise<void> {
  const here = new URL(`../../console/${folder}/`, import.meta.url);
  for await (const { name } of Deno.readDir(here)) {
    if (!name.endsWith("texts.ts")) continue;
    for (const [exported, texts] of Object.entries(await import(new URL(name, here).href))) {
      if (typeof texts !== "function") continue;
      for (const [path, text] of functionsIn(texts(), `${folder}/${exported}`)) {
        // Some take the number, some its text.
        const said = [1, "1"].map((one) => {
          try {
            return text(...Array(text.length).fill(one));
          } catch {
            return "";
          }
        });
        if (said.every(manyOf)) found.push(path);
      }
    }
  }
}
