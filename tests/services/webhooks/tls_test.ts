// The request of a webhook over TLS: the connection goes to the address that was checked, and the certificate has to be
// for the name. It is sent by a process of its own, with the permissions of the server, which trusts the
// test's authority by DENO_CERT.
import assert from "node:assert/strict";
import { Agent } from "node:https";
import { permissionsFor } from "../../start_task.ts";

const NAME = "hooks.example";

/** Says what became of a request to 127.0.0.1 under another name. */
const SENDER = `
import { post } from "./services/webhooks/request.ts";
const told = (url) =>
  post(url, {
    headers: {}, body: "{}", allowPrivate: true,
    signal: new AbortController().signal,
    resolve: () => Promise.resolve(["127.0.0.1"]),
  }).then(({ status, body }) => status + " " + body, ({ name, message }) => name + " " + message);
console.log(JSON.stringify(await Promise.all(Deno.args.map(told))));
`;

async function openssl(directory: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args, cwd: directory }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** An authority, and a certificate of it for the name. */
async function makeCertificates(directory: string) {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  // deno-fmt-ignore -- an option and its value to a line
  await openssl(directory, "req", "-x509", ...key, "-days", "2",
    "-subj", "/CN=Authority of a test",
    "-addext", "basicConstraints=critical,CA:TRUE",
    "-keyout", "ca.key", "-out", "ca.crt");
  await openssl(directory, "req", ...key, "-subj", "/", "-keyout", "leaf.key", "-out", "leaf.csr");
  await Deno.writeTextFile(
    `${directory}/leaf.ext`,
    `subjectAltName=critical,DNS:${NAME}\nbasicConstraints=CA:FALSE\n`,
  );
  // deno-fmt-ignore -- as above
  await openssl(directory, "x509", "-req", "-days", "2", "-CAcreateserial",
    "-in", "leaf.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
    "-extfile", "leaf.ext", "-out", "leaf.crt");
  const read = (name: string) => Deno.readTextFile(`${directory}/${name}`);
  return { cert: await read("leaf.crt"), key: await read("leaf.key") };
}

async function send(urls: readonly string[], env: Record<string, string>): Promise<string[]> {
  const script = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const root = new URL("../../../", import.meta.url);
    await Deno.writeTextFile(script, SENDER.replace("./services", `${root.href}services`));
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--no-check", "--frozen", "--config", `${root.pathname}deno.json`],
        ...[...permissionsFor(env, root.pathname.replace(/\/$/, "")), script, ...urls],
      ],
      env: { ...env, NO_COLOR: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.notEqual(text, "", new TextDecoder().decode(stderr));
    return JSON.parse(text);
  } finally {
    await Deno.remove(script);
  }
}

Deno.test("webhook request: over TLS the certificate has to be for the name, and from an authority that is trusted", async () => {
  const directory = await Deno.makeTempDir({ prefix: "quarterdeck-tls-" });
  const names: string[] = [];
  try {
    const { cert, key } = await makeCertificates(directory);
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", cert, key, onListen() {} },
      (request) => {
        names.push(request.headers.get("host")!);
        return new Response("for the name");
      },
    );
    const { port } = server.addr;
    const own = `https://${NAME}:${port}/`;
    const others = [`https://other.example:${port}/`, `https://127.0.0.1:${port}/`];
    const trusting = { DENO_CERT: `${directory}/ca.crt` };
    const [told, ...refused] = await send([own, ...others], trusting);
    // Deno 2.5 cannot compare the certificate with the name, and sends nothing.
    if (!Object.hasOwn(Agent.prototype, "createConnection")) {
      assert.match(told!, /^DeliveryError This version of Deno/);
      return assert.deepEqual(names, []);
    }
    assert.equal(told, "200 for the name");
    for (const one of refused) assert.match(one, /^DeliveryError Cannot deliver: /);
    const [untrusted] = await send([own], {});
    assert.match(untrusted!, /^DeliveryError Cannot deliver: /);
    assert.deepEqual(names, [`${NAME}:${port}`], "a request came through without a certificate");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
