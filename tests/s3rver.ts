// S3rver, a server of S3 that others made, in a process of its own: `deno run tests/s3rver.ts FOLDER BUCKET`.
import S3rver from "@20minutes/s3rver";

const [directory = "", bucket = ""] = Deno.args;
const server = new S3rver({
  directory,
  address: "127.0.0.1",
  port: 0,
  silent: true,
  configureBuckets: [{ name: bucket, configs: [] }],
});
const { port } = await server.run();
Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`));
