// What the pages for people say of the tree is so.
import assert from "node:assert/strict";
import { endpointsOf } from "../app.ts";
import { variableNames } from "../config/settings.ts";
import { variants } from "../config/variants.ts";
import { fullPath } from "../http/endpoint.ts";
import { createMetrics } from "../middleware/metrics.ts";

const ROOT = new URL("..", import.meta.url);
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/api.md",
  "docs/architecture.md",
  "docs/performance.md",
];

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(new URL(path, ROOT));
    return true;
  } catch {
    return false;
  }
}

for (const page of PAGES) {
  Deno.test(`docs: the files and folders that ${page} names are there`, async () => {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    const named = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\.tsx?|\/))`/g)].map(([, path]) =>
      path!
    );
    const missing = [];
    // What the server makes is not in the tree.
    for (const path of new Set(named)) {
      if (path !== "data/" && !await exists(path)) missing.push(path);
    }
    assert.deepEqual(missing, []);
  });
}

Deno.test("docs: README and CONTRIBUTING lead to the architecture", async () => {
  for (const page of ["README.md", "CONTRIBUTING.md"]) {
    assert.match(await Deno.readTextFile(new URL(page, ROOT)), /docs\/architecture\.md/);
  }
});

const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
const documents = [...Deno.readDirSync(new URL("docs", ROOT))]
  .filter(({ isFile }) => isFile).map(({ name }) => `docs/${name}`);

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
  );
}

for (const page of ["README.md", "CONTRIBUTING.md", ...documents]) {
  Deno.test(`docs: the links and tasks of ${page} lead somewhere`, async () => {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    const missing: string[] = [];
    for (const [, link] of text.matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/g)) {
      const [path = "", anchor] = link!.split("#");
      const target = new URL(path, new URL(page, ROOT));
      const isThere = await Deno.stat(target).then(() => true, () => false);
      if (!isThere) missing.push(link!);
      else if (anchor !== undefined) {
        if (!anchorsOf(await Deno.readTextFile(target)).includes(anchor)) missing.push(link!);
      }
    }
    for (const [, task] of text.matchAll(/deno task ([a-z][\w:-]*)/g)) {
      if (!(task! in config.tasks)) missing.push(`deno task ${task}`);
    }
    assert.deepEqual(missing, []);
  });
}

Deno.test("docs: the metrics, settings, commands and routes that docs/operations.md names are there", async () => {
  const page = await Deno.readTextFile(new URL("docs/operations.md", ROOT));
  const metrics = createMetrics({ version: "0" });
  metrics.request({
    method: "GET",
    path: "/",
    route: "/",
    status: 200,
    duration: 1,
    requestId: "",
    traceId: undefined,
    userId: undefined,
  });
  metrics.operation("list", "users", 0.1, false);
  const exposed = await metrics.expose();
  const named = /\b(?:http_request|store_operation|process|quarterdeck)_[a-z_]+/g;
  const variables = new Set(Object.values(variants).flatMap(variableNames));
  const routes = new Set(
    endpointsOf(variants.full!).map((one) =>
      `${one.method.toUpperCase()} ${fullPath(one, "/api")}`
    ),
  );
  const commands: Readonly<Record<string, string>> = {
    admin: await Deno.readTextFile(new URL("cli/admin.ts", ROOT)),
    webhooks: await Deno.readTextFile(new URL("cli/webhooks.ts", ROOT)),
  };
  const missing = [
    ...[...page.matchAll(named)].map(([name]) => name).filter((name) => !exposed.includes(name)),
    ...[...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)\b/g)].map(([, name]) => name!)
      .filter((name) => !variables.has(name) && !name.startsWith("OTEL_")),
    ...[...page.matchAll(/`((?:GET|POST|PUT|DELETE) [^`?]+)/g)].map(([, route]) => route!)
      .filter((route) => !routes.has(route)),
    ...[...page.matchAll(/deno task (admin|webhooks) ([\w-]+)/g)]
      .filter(([, task, command]) => !commands[task!]!.includes(`deno task ${task} ${command}`))
      .map(([text]) => text),
  ];
  assert.deepEqual(missing, []);
});

Deno.test("docs: README leads to the page for whoever keeps it running", async () => {
  assert.match(await Deno.readTextFile(new URL("README.md", ROOT)), /docs\/operations\.md/);
});

Deno.test("docs: what the shell commands of the README name, it sets", async () => {
  const text = await Deno.readTextFile(new URL("README.md", ROOT));
  const shell = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!).join("");
  const set = new Set([...shell.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!));
  const named = [...shell.matchAll(/\$\{?([A-Z_]+)/g)].map(([, name]) => name!);
  assert.deepEqual([...new Set(named)].filter((name) => !set.has(name)), []);
});

Deno.test("docs: CONTRIBUTING counts the requests that the architecture follows", async () => {
  const contributing = await Deno.readTextFile(new URL("CONTRIBUTING.md", ROOT));
  const [, count] = /(\w+) requests on their way/.exec(contributing)!;
  const architecture = await Deno.readTextFile(new URL("docs/architecture.md", ROOT));
  const [, heading] = /^## (\w+) requests on their way$/m.exec(architecture)!;
  assert.equal(count, heading!.toLowerCase());
});
