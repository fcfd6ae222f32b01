// Makes the generated part of the typed client anew, from the OpenAPI document of all modules: `deno task client`.
import { endpointsOf } from "../app.ts";
import { variants } from "../config/variants.ts";
import { answerHelp, print, printError } from "../core/command_line.ts";
import { openApiDocument } from "../http/openapi.ts";

const USAGE = `Usage: deno task client [FOLDER]

Writes the functions and types of every operation to FOLDER. FOLDER is client/generated unless given.`;

/** Paths are told from the base of the API on: where that is, `connect` of the client is told. */
export async function generateClient(folder: string): Promise<void> {
  // A dependency of the generator looks into /proc when it is loaded, for which Deno asks for every permission; with
  // this it does not.
  Deno.env.set("__IS_WSL_TEST__", "1");
  const { createClient } = await import("@hey-api/openapi-ts");
  const variant = variants["full"]!;
  // What sends a browser on to another site is opened by it: a program cannot call it.
  const endpoints = endpointsOf(variant).filter(({ redirects }) => !redirects);
  const document = openApiDocument(endpoints, { basePath: "", variant });
  await createClient({
    input: document,
    output: { path: folder, importFileExtension: ".ts", entryFile: false },
    logs: { level: "silent" },
    plugins: [
      { name: "@hey-api/client-fetch", throwOnError: true },
      { name: "@hey-api/typescript" },
      { name: "@hey-api/sdk", responseStyle: "data" },
    ],
  });
  await leaveOutClient(`${folder}/client/client.gen.ts`);
}

/**
 * What a function is given as `client` ends up in the request's init, where Deno means an HTTP client by that name and
 * refuses any other: https://docs.deno.com/api/deno/~/RequestInit
 */
async function leaveOutClient(file: string): Promise<void> {
  const text = await Deno.readTextFile(file);
  const mended = text.replace(
    /(const requestInit: ReqInit = \{\s*redirect: 'follow',\s*)\.\.\.opts,/,
    "$1...(({ client: _, ...init }: typeof opts & { client?: unknown }) => init)(opts),",
  );
  if (mended === text) {
    throw new Error(`Cannot mend ${file}: the generator writes another text now`);
  }
  await Deno.writeTextFile(file, mended);
}

if (import.meta.main) {
  answerHelp(USAGE);
  if (Deno.args.length > 1 || Deno.args[0]?.startsWith("-")) {
    printError(USAGE);
    Deno.exit(2);
  }
  const folder = Deno.args[0] ?? new URL("../client/generated", import.meta.url).pathname;
  await generateClient(folder);
  print(`Wrote ${folder}`);
}
