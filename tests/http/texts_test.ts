// Every message that the code throws at a caller stands in the catalogue of http/texts: it is found in the source, so that
// also those count that no other test provokes.
import assert from "node:assert/strict";
import { toldBy } from "../../http/texts/catalogue.ts";

const ROOMS = ["core", "http", "middleware", "models", "routes", "services", "storage"];

/** A text of one or more parts, with what it is filled with. */
const PART = String.raw`(?:"(?:[^"\\\n]|\\.)*"|${"`(?:[^`\\\\]|\\\\.)*`"})`;
const TEXT = String.raw`(${PART}(?:\s*\+\s*${PART})*)`;

/** Where messages to callers are given as they stand. */
const THROWN = [
  String.raw`new ApiError\(\s*"[A-Z_]+",\s*${TEXT}`,
  String.raw`\b(?:conflict|forbidden|unauthorized)\(\s*${TEXT}`,
  String.raw`\b(?:invalid|lacking)\(\s*[^,()]+,\s*${TEXT}`,
  String.raw`\blimited\(\s*\{[^{}]*\},\s*${TEXT}`,
  String.raw`\berrors\.add\(\s*[^,()]+,\s*[^,()]+,\s*${TEXT}`,
  String.raw`const message = ${TEXT};\s*throw new ApiError`,
].map((pattern) => new RegExp(pattern, "g"));

/** Of what these are filled with, each case is in the catalogue. */
const BY_CASE = [
  "The role 7 cannot be 7: 7 users have it",
  "These documents have 7 bytes: 7",
  "The 7 is wrong",
];

async function* sourcesIn(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sourcesIn(new URL(`${name}/`, folder));
    else if (/\.tsx?$/.test(name)) yield new URL(name, folder);
  }
}

/** The messages of a source; a 7 for whatever is filled in. */
function messagesIn(source: string): string[] {
  return THROWN.flatMap((pattern) => [...source.matchAll(pattern)]).map(([, text]) =>
    text!.split(/["`]\s*\+\s*["`]/).join("").slice(1, -1)
      .replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "7")
      .replaceAll('\\"', '"')
  );
}

Deno.test("texts: every message that is thrown at a caller has a code and stands in both languages", async () => {
  const messages = new Set<string>();
  for (const room of ROOMS) {
    for await (const file of sourcesIn(new URL(`../../${room}/`, import.meta.url))) {
      for (const one of messagesIn(await Deno.readTextFile(file))) messages.add(one);
    }
  }
  assert.ok(messages.size > 100, `found ${messages.size} messages alone`);
  const missing = [...messages].filter((one) => toldBy(one) === null && !BY_CASE.includes(one));
  assert.deepEqual(missing, []);
});
