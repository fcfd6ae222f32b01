// Backups in a bucket, against a server that checks what is signed: whole or not there, whatever breaks on the way.
import assert from "node:assert/strict";
import { bucketOf, parseBucketUrl } from "../../../../config/bucket.ts";
import { Bucket } from "../../../../services/backups/bucket.ts";
import { backupPath } from "../../../../services/backups/folder.ts";
import { restore } from "../../../../services/backups/restore.ts";
import { S3 } from "../../../../services/backups/s3.ts";
import { NotSent, sendBackup, takeBackup } from "../../../../services/backups/take.ts";
import { openStore } from "../../../../storage/open.ts";
import { type Fault, openS3, type S3Server } from "../../../s3_server.ts";
import { type Keys, signatureProblem } from "../../../s3_signature.ts";
import { sqliteFile } from "../../../sql/databases.ts";
import { everything, fill, kvFile, scene } from "../../../services/backups/stores.ts";

const keysOf = (s3: S3Server) => [...s3.objects.keys()].sort();
const count = (s3: S3Server, operation: string) =>
  s3.seen.filter((one) => one.operation === operation).length;

/** The examples of Amazon's documentation: what checks signatures here is right by them, and not by what it checks. */
Deno.test("S3: what checks signatures takes the examples of the specification, and nothing near them", () => {
  const keys: Keys = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
  };
  const now = Date.parse("2013-05-24T00:00:00Z");
  const none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const example = (target: string, names: string, signature: string, more = {}) => ({
    method: "GET",
    target,
    headers: {
      host: "examplebucket.s3.amazonaws.com",
      "x-amz-content-sha256": none,
      "x-amz-date": "20130524T000000Z",
      ...more,
      authorization:
        `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`,
    } as Record<string, string>,
    body: new Uint8Array(),
  });
  const plain = "host;x-amz-content-sha256;x-amz-date";
  const examples = [
    example(
      "/test.txt",
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
      { range: "bytes=0-9" },
    ),
    example(
      "/?lifecycle",
      plain,
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ),
    example(
      "/?max-keys=2&prefix=J",
      plain,
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ),
  ];
  for (const one of examples) {
    assert.equal(signatureProblem(one, keys, now), null, one.target);
    const problemOf = (change: Partial<typeof one>) =>
      signatureProblem({ ...one, ...change }, keys, now);
    assert.equal(problemOf({ method: "PUT" }), "SignatureDoesNotMatch");
    assert.equal(problemOf({ target: `${one.target}x` }), "SignatureDoesNotMatch");
    assert.equal(problemOf({ body: new Uint8Array(1) }), "XAmzContentSHA256Mismatch");
    assert.equal(
      problemOf({ headers: { ...one.headers, "x-amz-acl": "public-read" } }),
      "AccessDenied",
    );
    const others = { ...keys, secretAccessKey: "another" };
    assert.equal(signatureProblem(one, others, now), "SignatureDoesNotMatch");
    assert.equal(signatureProblem(one, keys, now + 16 * 60_000), "RequestTimeTooSkewed");
  }
});

Deno.test("bucket: addresses as people write them", () => {
  const cases: [string, [url: string, name: string, prefix: string, region: string] | null][] = [
    ["https://s3.example.com/b", ["https://s3.example.com/b", "b", "", "us-east-1"]],
    [
      "http://minio:9000/b/a/c/?region=home",
      ["http://minio:9000/b", "b", "a/c/", "home"],
    ],
    [
      "https://s3.eu-central-1.amazonaws.com/b/c",
      ["https://s3.eu-central-1.amazonaws.com/b", "b", "c/", "eu-central-1"],
    ],
    [
      "https://my.b.s3.eu-west-2.amazonaws.com/c",
      ["https://my.b.s3.eu-west-2.amazonaws.com", "my.b", "c/", "eu-west-2"],
    ],
    ["https://s3.example.com", null],
    ["https://key:secret@s3.example.com/b", null],
    ["https://s3.example.com/b?token=x", null],
    ["https://s3.example.com/b/a%20b", null],
    ["https://s3.example.com/b/a+b", null],
    ["s3://bucket/prefix", null],
    ["ftp://s3.example.com/b", null],
  ];
  for (const [text, expected] of cases) {
    const found = parseBucketUrl(text);
    assert.deepEqual(found && [found.url, found.name, found.prefix, found.region], expected, text);
  }
  assert.equal(bucketOf({}), null);
  assert.throws(
    () => bucketOf({ BACKUP_S3_URL: "https://s3.example.com/b" }),
    /BACKUP_S3_ACCESS_KEY_ID: it is required with BACKUP_S3_URL\nBACKUP_S3_SECRET_ACCESS_KEY/,
  );
});

for (const [size, operation] of [[1000, "PutObject"], [9_000_000, "UploadPart"]] as const) {
  Deno.test(`bucket: sent (${operation}), kept as many as are to be, and restored from there`, async () => {
    await using s3 = await openS3();
    await using at = await scene(sqliteFile);
    const store = await openStore({ url: at.url });
    await fill(store, size);
    const expected = await everything(store);
    await store.close();
    // What others keep there stays, whatever it is called.
    const others = ["team/20260101T000000000Z.qdbackup", "team/nightly/notes & <plans>.txt"];
    for (const key of others) s3.objects.set(key, new Uint8Array(3));
    s3.pageSize = 1;
    const task = { url: at.url, folder: at.folder, keep: 2, bucket: s3.settings };
    for (let day = 1; day <= 3; day++) await takeBackup({ ...task, now: Date.UTC(2026, 0, day) });
    const ids = ["20260102T000000000Z", "20260103T000000000Z"];
    const keys = ids.map((id) => `team/nightly/${id}.qdbackup`);
    assert.deepEqual(keysOf(s3), [...others, ...keys].sort());
    assert.ok(count(s3, operation) >= 3);
    assert.equal(s3.uploads.size, 0);
    const path = backupPath(at.folder, ids[1]!)!;
    assert.deepEqual(s3.objects.get(keys[1]!), await Deno.readFile(path));

    const bucket = new Bucket(s3.settings);
    assert.equal(await bucket.newest(), ids[1]);
    using backup = await bucket.open(ids[1]!);
    await using to = await scene(kvFile);
    await restore(backup!, { url: to.url, beside: path });
    const restored = await openStore({ url: to.url });
    assert.deepEqual(await everything(restored), expected);
    await restored.close();
    await bucket.remove(ids[1]!);
    assert.equal(await bucket.open(ids[1]!), null);
    assert.equal(await bucket.stream(ids[1]!, { start: 0, end: 1 }), null);
  });
}

/** What may happen to a request, each time it is sent for the first time. */
const PASSING: Readonly<Record<string, Fault>> = {
  "the connection is cut": "cut",
  "the answer is lost": "lose",
  "the answer breaks off": "half",
  "the server is too busy": { refuse: [503, "SlowDown"] },
  "the server fails": { refuse: [500, "InternalError"] },
};

for (const [name, fault] of Object.entries(PASSING)) {
  Deno.test(`bucket: each request is tried again when ${name}`, async () => {
    await using s3 = await openS3();
    await using at = await scene(sqliteFile);
    const store = await openStore({ url: at.url });
    await fill(store, 9_000_000);
    await store.close();
    let last = "";
    s3.fault = ({ operation, key }) => {
      const first = last !== operation + key;
      last = operation + key;
      return first ? fault : null;
    };
    const task = { url: at.url, folder: at.folder, keep: 1, bucket: s3.settings, now: Date.now() };
    const { id } = await takeBackup(task);
    assert.deepEqual(
      s3.objects.get(`team/nightly/${id}.qdbackup`),
      await Deno.readFile(backupPath(at.folder, id)!),
    );
    const bucket = new Bucket(s3.settings);
    using backup = await bucket.open(id);
    assert.equal((await backup!.read(5, 100)).length, 100);
  });
}

Deno.test("bucket: an answer that breaks off is asked for again", async () => {
  await using s3 = await openS3("");
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  s3.objects.set("20260101T000000000Z.qdbackup", bytes);
  let n = 0;
  s3.fault = ({ operation }) => operation === "GetObject" && n++ < 2 ? "half" : null;
  using backup = await new Bucket(s3.settings).open("20260101T000000000Z");
  assert.deepEqual(await backup!.read(100, 50_000), bytes.subarray(100, 50_100));
  n = -Infinity;
  await assert.rejects(backup!.read(0, 50_000), /breaks off while it sends/);
});

Deno.test("bucket: what fails for good leaves no part there, and the older ones; the file stays", async () => {
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 9_000_000);
  await store.close();
  const failures: [string, string, Fault, RegExp][] = [
    ["CreateMultipartUpload", "1", { refuse: [403, "AccessDenied"] }, /AccessDenied: It is <not>/],
    ["UploadPart", "2", { refuse: [400, "InvalidDigest"] }, /InvalidDigest/],
    ["Complete", "1", { refuse: [400, "InvalidPart"] }, /InvalidPart/],
    ["Complete", "1", { refuse: [200, "InternalError"] }, /InternalError/],
    ["GetObject", "1", { refuse: [403, "AccessDenied"] }, /AccessDenied/],
  ];
  for (const [operation, from, fault, message] of failures) {
    await using s3 = await openS3();
    s3.objects.set("team/nightly/20250101T000000000Z.qdbackup", new Uint8Array(3));
    let n = 0;
    s3.fault = (seen) => seen.operation === operation && ++n >= Number(from) ? fault : null;
    const now = Date.now();
    const task = { url: at.url, folder: at.folder, keep: 1, bucket: s3.settings, now };
    const error = await takeBackup(task).then(() => null, (error) => error);
    assert.ok(error instanceof NotSent, operation);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /secret|session/);
    assert.equal(s3.uploads.size, 0, operation);
    assert.ok(s3.objects.has("team/nightly/20250101T000000000Z.qdbackup"));
    assert.ok((await Deno.stat(backupPath(at.folder, error.id)!)).isFile);
  }
});

Deno.test("bucket: one that is there is not sent once more, as long as older ones cannot be removed", async () => {
  await using s3 = await openS3();
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const task = { url: at.url, folder: at.folder, keep: 1, bucket: s3.settings };
  const { id: older } = await takeBackup({ ...task, now: 1 });
  s3.fault = ({ operation }) =>
    operation === "DeleteObject" ? { refuse: [403, "AccessDenied"] } : null;
  const { id } = await takeBackup({ ...task, now: 2 }).catch((error) => {
    assert.match(error.message, /is in the bucket, but older ones stay there: .*AccessDenied/);
    return error as NotSent;
  });
  const send = () => sendBackup({ ...task, now: 3 }, id);
  await assert.rejects(send(), NotSent);
  assert.equal(count(s3, "PutObject"), 2);
  const key = `team/nightly/${id}.qdbackup`;
  assert.deepEqual(keysOf(s3), [`team/nightly/${older}.qdbackup`, key]);
  // What is there and is another, or no backup, is sent.
  const whole = s3.objects.get(key)!;
  s3.fault = () => null;
  for (const other of [whole.subarray(1), new Uint8Array(whole.length)]) {
    s3.objects.set(key, other);
    await send();
    assert.deepEqual(s3.objects.get(key), whole);
  }
  assert.deepEqual(keysOf(s3), [key]);
});

Deno.test("bucket: wrong keys, a wrong region and no server are told as what they are", async () => {
  await using s3 = await openS3();
  const problemOf = (change: Partial<typeof s3.settings>) =>
    new Bucket({ ...s3.settings, ...change }, { tries: 1 }).sizes().then(String, String);
  assert.match(await problemOf({ secretAccessKey: "wrong" }), /SignatureDoesNotMatch/);
  assert.match(await problemOf({ accessKeyId: "AKIDOTHER" }), /InvalidAccessKeyId/);
  assert.match(await problemOf({ sessionToken: undefined }), /InvalidToken/);
  assert.match(await problemOf({ region: "us-east-1" }), /AuthorizationHeaderMalformed/);
  const url = "http://127.0.0.1:1/b";
  assert.match(await problemOf({ url }), /Cannot reach the bucket http:\/\/127.0.0.1:1\/b: /);
  const slow = new S3({ ...s3.settings }, { tries: 1, timeout: 1 });
  s3.fault = () => {
    const end = performance.now() + 100;
    while (performance.now() < end);
    return null;
  };
  await assert.rejects(Array.fromAsync(slow.list("")), /it gave no answer/);
});

Deno.test("bucket: parts that a killed process has left go a day later, and only those of backups", async () => {
  await using s3 = await openS3();
  await using at = await scene(sqliteFile);
  const store = await openStore({ url: at.url });
  await fill(store, 1000);
  await store.close();
  const leave = (id: string, key: string, hours: number) =>
    s3.uploads.set(id, {
      key,
      parts: new Map(),
      at: new Date(Date.now() - hours * 3_600_000).toISOString(),
    });
  leave("old", "team/nightly/20260101T000000000Z.qdbackup", 25);
  leave("running", "team/nightly/20260102T000000000Z.qdbackup", 23);
  leave("another's", "team/nightly/film.mp4", 100);
  const task = { url: at.url, folder: at.folder, keep: 1, bucket: s3.settings };
  await takeBackup({ ...task, now: 1 });
  assert.deepEqual([...s3.uploads.keys()], ["running", "another's"]);
  // Keys that may do no more than they must are enough.
  s3.fault = ({ operation }) =>
    operation === "ListMultipartUploads" ? { refuse: [403, "AccessDenied"] } : null;
  await takeBackup({ ...task, now: 2 });
  assert.equal(s3.objects.size, 1);
  // Servers that know no such list say so; asked again they would say it again.
  s3.seen.length = 0;
  s3.fault = ({ operation }) =>
    operation === "ListMultipartUploads" ? { refuse: [501, "NotImplemented"] } : null;
  await takeBackup({ ...task, now: 3 });
  assert.equal(count(s3, "ListMultipartUploads"), 1);
  assert.equal(s3.objects.size, 1);
});
