// Mailers against a real SMTP conversation on the loopback address.
import assert from "node:assert/strict";
import {
  backgroundMailer,
  logMailer,
  type Mail,
  nullMailer,
  openMailer,
  smtpMailer,
  warnOfLostMails,
} from "../../../services/messaging/mailer.ts";
import { pause, until } from "../../until.ts";
import { type ReceivedMail, startSmtpServer } from "./smtp_server.ts";

const FROM = "Quarterdeck <no-reply@example.com>";
const MAIL: Mail = {
  to: "ada@example.com",
  subject: "Grüße",
  text: "Hello Ada,\n\n.a line with a dot\n",
  html: "<p>Hello Ada,</p>",
};

/** A log that keeps its lines as `level: message`, placeholders filled in. */
function testLog() {
  const lines: string[] = [];
  const properties: Record<string, unknown>[] = [];
  const write = (level: string) => (message: unknown, given: unknown = {}) => {
    const values = given as Record<string, unknown>;
    properties.push(values);
    lines.push(`${level}: ${String(message).replace(/\{(\w+)\}/g, (_, key) => `${values[key]}`)}`);
  };
  const log = { info: write("info"), warn: write("warn"), error: write("error") };
  return { lines, properties, log: log as unknown as Parameters<typeof logMailer>[0] };
}

function header(mail: ReceivedMail | undefined, name: string): string[] {
  return (mail?.headers ?? []).filter(([key]) => key === name).map(([, value]) => value);
}

/** Parts of a multipart body with their transfer encoding undone. */
function decoded(mail: ReceivedMail | undefined): string {
  return (mail?.body ?? "")
    .replace(/=\r\n/g, "")
    .replace(
      /(?:=[0-9A-F]{2})+/g,
      (bytes) =>
        new TextDecoder().decode(Uint8Array.from(
          bytes.slice(1).split("="),
          (hex) => parseInt(hex, 16),
        )),
    );
}

Deno.test("a mail arrives with its envelope, headers and both bodies", async () => {
  await using server = await startSmtpServer();
  const mailer = smtpMailer(server.url, FROM);
  await mailer.send(MAIL);
  await mailer.close();
  const [mail] = server.mails;
  assert.equal(server.mails.length, 1);
  assert.equal(mail?.from, "no-reply@example.com");
  assert.deepEqual(mail?.to, ["ada@example.com"]);
  assert.deepEqual(header(mail, "from"), [FROM]);
  assert.deepEqual(header(mail, "to"), ["ada@example.com"]);
  assert.deepEqual(header(mail, "subject"), ["=?UTF-8?Q?Gr=C3=BC=C3=9Fe?="]);
  assert.match(header(mail, "content-type")[0] ?? "", /^multipart\/alternative;/);
  assert.match(header(mail, "message-id")[0] ?? "", /^<.+@example\.com>$/);
  assert.match(decoded(mail), /Hello Ada,\r\n\r\n\.a line with a dot/);
  assert.match(decoded(mail), /<p>Hello Ada,<\/p>/);
});

Deno.test("no text can add a header or a recipient", async () => {
  await using server = await startSmtpServer();
  const mailer = smtpMailer(server.url, FROM);
  await mailer.send({ ...MAIL, subject: "Hi\r\nBcc: eve@example.com\r\n\r\nbody" });
  const [mail] = server.mails;
  assert.deepEqual(mail?.to, ["ada@example.com"]);
  assert.deepEqual(header(mail, "bcc"), []);
  assert.deepEqual(header(mail, "subject"), ["Hi Bcc: eve@example.com body"]);

  const recipients = [
    "",
    "ada",
    "ada@example.com, eve@example.com",
    "ada@example.com\r\nRCPT TO:<eve@example.com>",
    "Ada <ada@example.com>",
    "group:ada@example.com;",
  ];
  for (const to of recipients) {
    await assert.rejects(mailer.send({ ...MAIL, to }), /expected one address/, to);
  }
  assert.equal(server.mails.length, 1);
  await mailer.close();
});

Deno.test("credentials of the URL sign in; wrong ones fail for good, and stay out of the message", async () => {
  await using server = await startSmtpServer({ credentials: "deck:pa ss@1" });
  const signedIn = smtpMailer(server.url.replace("//", "//deck:pa%20ss%401@"), FROM);
  await signedIn.send(MAIL);
  assert.equal(server.mails[0]?.credentials, "deck:pa ss@1");

  const refused = smtpMailer(server.url.replace("//", "//deck:hunter2@"), FROM);
  await assert.rejects(refused.send(MAIL), (error: Error) => {
    assert.equal((error as { permanent?: boolean }).permanent, true);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
  await signedIn.close();
  await refused.close();
});

Deno.test("requireTLS in the URL refuses a server without STARTTLS", async () => {
  await using server = await startSmtpServer();
  const mailer = smtpMailer(`${server.url}?requireTLS=true`, FROM);
  await assert.rejects(mailer.send(MAIL));
  assert.equal(server.mails.length, 0);
  await mailer.close();
});

Deno.test("a server that answers nothing is given up on", async () => {
  for (const options of [{ silent: true }, { answers: ["hang"] }]) {
    await using server = await startSmtpServer(options);
    const mailer = smtpMailer(server.url, FROM, { timeout: 100 });
    const start = performance.now();
    await assert.rejects(mailer.send(MAIL), /never received|timeout/i);
    assert.ok(performance.now() - start < 20_000);
    await mailer.close();
  }
});

Deno.test("in the background: a temporary refusal is tried again, a permanent one is not", async () => {
  await using server = await startSmtpServer({
    answers: ["451 try later", "250 ok", "550 no such user"],
  });
  const { lines, log } = testLog();
  const background = backgroundMailer(smtpMailer(server.url, FROM), log, { retryDelays: [5, 5] });
  background.inBackground(() => MAIL);
  await background.idle();
  assert.equal(server.mails.length, 1);
  assert.equal(server.connections, 2);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /^warn: Cannot send a mail yet: .*451/);

  background.inBackground(() => MAIL);
  await background.idle();
  assert.equal(server.connections, 3);
  assert.match(lines[1] ?? "", /^error: Cannot send a mail: .*550/);
  await background.close();
});

Deno.test("in the background: it gives up after the last try", async () => {
  const { lines, log } = testLog();
  let tries = 0;
  const failing = {
    send: () => Promise.reject(new Error(`down ${++tries}`)),
    close: () => Promise.resolve(),
  };
  const background = backgroundMailer(failing, log, { retryDelays: [1, 1] });
  background.inBackground(() => MAIL);
  await background.idle();
  await background.close();
  assert.deepEqual(lines, [
    "warn: Cannot send a mail yet: down 1",
    "warn: Cannot send a mail yet: down 2",
    "error: Cannot send a mail: down 3",
  ]);
});

Deno.test("in the background: the caller waits for nothing, and composing may fail or find nothing to send", async () => {
  const { lines, log } = testLog();
  const sent: Mail[] = [];
  const background = backgroundMailer(collecting(sent), log);
  let composed = 0;
  const compose = () => {
    composed++;
    return Promise.resolve(MAIL);
  };
  background.inBackground(compose);
  assert.equal(composed, 0);
  background.inBackground(() => null);
  background.inBackground(() => Promise.reject(new Error("no store")));
  await background.idle();
  assert.deepEqual(sent, [MAIL]);
  assert.deepEqual(lines, ["error: Cannot send a mail: no store"]);
  await background.close();
});

Deno.test("in the background: the queue is bounded, and few are sent at a time", async () => {
  const { lines, log } = testLog();
  const sent: Mail[] = [];
  let underWay = 0;
  let most = 0;
  const mailer = {
    async send(mail: Mail) {
      most = Math.max(most, ++underWay);
      await pause(2);
      underWay--;
      sent.push(mail);
    },
    close: () => Promise.resolve(),
  };
  const background = backgroundMailer(mailer, log, { capacity: 10, concurrency: 3 });
  for (let i = 0; i < 12; i++) background.inBackground(() => MAIL);
  await background.idle();
  await background.close();
  assert.equal(sent.length, 10);
  assert.equal(most, 3);
  assert.deepEqual(lines, Array(2).fill("error: Cannot send a mail: 10 are waiting"));
});

Deno.test("in the background: links overtake any number of notices, and one sender cannot fill the queue", async () => {
  const { lines, log } = testLog();
  const sent: Mail[] = [];
  const open = Promise.withResolvers<void>();
  const mailer = {
    async send(mail: Mail) {
      if (mail.subject === "Notice") await open.promise;
      sent.push(mail);
    },
    close: () => Promise.resolve(),
  };
  const background = backgroundMailer(mailer, log, { capacity: 1000, perSender: 100 });
  const notice = { ...MAIL, subject: "Notice" };
  for (let i = 0; i < 1200; i++) background.inBackground(() => notice, { sender: "mallory" });
  assert.equal(lines.length, 1100, "what one sender has beyond the share is dropped");
  assert.match(lines[0]!, /100 of the same sender are waiting/);
  background.inBackground(() => notice, { sender: "ada" });
  for (let i = 0; i < 898; i++) background.inBackground(() => notice);
  assert.equal(lines.length, 1100, "others still have room");
  background.inBackground(() => MAIL, { urgent: true, sender: "127.0.0.1" });
  await until(() => sent.length > 0);
  assert.deepEqual(sent, [MAIL], "the link is out while every notice waits");
  open.resolve();
  await background.idle();
  assert.equal(sent.length, 1000);
  background.inBackground(() => notice, { sender: "mallory" });
  await background.idle();
  assert.equal(sent.length, 1001, "what is sent does not count any more");
  await background.close();
});

Deno.test("closing sends what waits, a retry included, and takes nothing new", async () => {
  await using server = await startSmtpServer({ answers: ["451 try later"] });
  const { lines, log } = testLog();
  const background = backgroundMailer(smtpMailer(server.url, FROM), log);
  background.inBackground(() => MAIL);
  await until(() => lines.length > 0);
  background.inBackground(() => ({ ...MAIL, to: "bob@example.com" }));
  const start = performance.now();
  await background.close();
  assert.ok(performance.now() - start < 20_000);
  assert.deepEqual(
    server.mails.map((mail) => mail.to[0]).sort(),
    ["ada@example.com", "bob@example.com"],
  );
  background.inBackground(() => MAIL);
  await background.idle();
  assert.match(lines.at(-1) ?? "", /^error: Cannot send a mail: the server stops/);
});

Deno.test("closing waits no longer than it may for a server that hangs, and says what is lost", async () => {
  await using server = await startSmtpServer({ silent: true });
  const { lines, log } = testLog();
  const background = backgroundMailer(smtpMailer(server.url, FROM), log);
  background.inBackground(() => MAIL);
  await background.close(100);
  assert.ok(lines.includes("error: Mails not sent: 1"), lines.join("\n"));
  await background.idle();
});

Deno.test("without SMTP: links are logged in development, never in production", async () => {
  const unset = { smtpUrl: undefined, mailFrom: FROM };
  const link = "https://example.com/reset?token=secret";
  const mail = { ...MAIL, text: `Set a new password:\n\n${link}\n\nBye.\n` };

  const development = testLog();
  await openMailer({ ...unset, production: false }, development.log).send(mail);
  assert.deepEqual(development.lines, ["info: Mail to ada@example.com: Grüße"]);
  assert.deepEqual(development.properties, [
    { to: mail.to, subject: mail.subject, link, text: mail.text },
  ]);

  const production = testLog();
  await openMailer({ ...unset, production: true }, production.log).send(mail);
  assert.deepEqual(production.lines, [
    "warn: Cannot send the mail 'Grüße': SMTP_URL is not set",
  ]);
  assert.doesNotMatch(JSON.stringify(production.properties), /secret|ada@/);

  await using server = await startSmtpServer();
  const smtp = openMailer({ ...unset, smtpUrl: server.url, production: true }, production.log);
  await smtp.send(mail);
  assert.equal(server.mails.length, 1);
  for (const mailer of [smtp, logMailer(production.log), nullMailer(production.log)]) {
    await mailer.close();
  }
});

Deno.test("without SMTP in production, the start warns in one line of what will not work", () => {
  const without = {
    smtpUrl: undefined,
    production: true,
    registration: true,
    emailVerification: true,
  };
  const told = (settings: Partial<Parameters<typeof warnOfLostMails>[0]>) => {
    const { lines, log } = testLog();
    warnOfLostMails({ ...without, ...settings }, log);
    return lines;
  };
  const passwords =
    "warn: SMTP_URL is not set: no mail goes out, so nobody gets a link that sets a password";
  assert.deepEqual(told({}), [
    `${passwords}, and accounts that register cannot confirm their address`,
  ]);
  assert.deepEqual(told({ registration: false }), [passwords]);
  assert.deepEqual(told({ emailVerification: false }), [passwords]);
  assert.deepEqual(told({ production: false }), []);
  assert.deepEqual(told({ smtpUrl: "smtp://mail.example.com" }), []);
});

function collecting(sent: Mail[]) {
  return {
    send: (mail: Mail) => Promise.resolve(void sent.push(mail)),
    close: () => Promise.resolve(),
  };
}
