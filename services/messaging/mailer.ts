// Sending mail: by SMTP, to the log or nowhere, and in the background with retries.
import type { Logger } from "@logtape/logtape";
import type { Settings } from "../../config/settings.ts";
import { semaphore } from "../../core/semaphore.ts";
import { delay } from "../../core/delay.ts";

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

export interface Mailer {
  /** @throws {Error} The mail was not accepted; `permanent: true` on it when another try is useless. */
  send(mail: Mail): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** How a mail waits. */
export interface Sending {
  /** Someone waits for what is in it: it does not wait behind notices. @default false */
  readonly urgent?: boolean;
  /** Whoever caused it: the id of a user, or the address of a client. @default the server itself */
  readonly sender?: string;
}

/** How the mails of this process fare. */
export interface MailState {
  /** Mails that wait, or are on their way: those that someone waits for, and notices. */
  readonly urgent: number;
  readonly notices: number;
  readonly sent: number;
  /** Given up, or refused because too many wait. */
  readonly failed: number;
}

export interface BackgroundMailer {
  state(): MailState;
  /**
   * Composes and sends a mail after the request that asks for it is answered; null sends none. Failures are logged.
   */
  inBackground(compose: () => Mail | null | Promise<Mail | null>, sending?: Sending): void;
  /** Resolves when nothing is waiting. */
  idle(): Promise<void>;
  /**
   * Sends what is waiting.
   *
   * @param milliseconds How long it may take at most. @default 2000
   */
  close(milliseconds?: number): Promise<void>;
}

type Log = Pick<Logger, "info" | "warn" | "error">;

/** The mailer that the settings ask for. Without SMTP, mails are logged outside production and dropped in it. */
export function openMailer(
  { smtpUrl, mailFrom, production }: Pick<Settings, "smtpUrl" | "mailFrom" | "production">,
  log: Log,
): Mailer {
  if (smtpUrl !== undefined) return smtpMailer(smtpUrl, mailFrom);
  return production ? nullMailer(log) : logMailer(log);
}

/** Says once, at the start of a server in production that sends no mail, what will not work. */
export function warnOfLostMails(
  { smtpUrl, production, registration, emailVerification }: Pick<
    Settings,
    "smtpUrl" | "production" | "registration" | "emailVerification"
  >,
  log: Pick<Log, "warn">,
): void {
  if (!production || smtpUrl !== undefined) return;
  const unconfirmed = registration && emailVerification
    ? ", and accounts that register cannot confirm their address"
    : "";
  log.warn(
    `SMTP_URL is not set: no mail goes out, so nobody gets a link that sets a password${unconfirmed}`,
  );
}

/**
 * Sends by SMTP, one connection a mail, with STARTTLS where the server offers it.
 *
 * @param url As nodemailer reads it: `smtp://user:password@host:587?requireTLS=true`.
 * @param from `Name <address>`, or an address.
 * @param timeout Milliseconds to wait for any one answer of the server. @default 20000
 */
export function smtpMailer(url: string, from: string, { timeout = 20_000 } = {}): Mailer {
  const closing = new AbortController();
  const loading = memo(async () => {
    // Loaded at the first mail: a start need not wait for it.
    const { createTransport } = await import("nodemailer");
    return createTransport({
      url,
      dnsTimeout: timeout,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      socketCloseTimeout: 1000,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  });
  return {
    async send({ to, subject, text, html }) {
      if (!/^[^\s<>,;:]+@[^\s<>,;:@]+$/.test(to)) {
        const message = `Cannot send a mail: expected one address, received '${to}'`;
        throw Object.assign(new Error(message), { permanent: true });
      }
      const transport = await loading();
      const signal = closing.signal;
      await transport.sendMail({ from, to, subject: singleLine(subject), text, html, signal });
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}

/** Writes mails to the log, links included: for development, where the reader is the recipient. */
export function logMailer(log: Log): Mailer {
  return {
    send({ to, subject, text }) {
      // The link by itself can be copied; in the text, escaped line breaks run into it.
      const link = /https?:\S+/.exec(text)?.[0];
      log.info("Mail to {to}: {subject}", { to, subject, link, text });
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

/** Drops mails, and says so without their content. */
export function nullMailer(log: Log): Mailer {
  return {
    send({ subject }) {
      log.warn("Cannot send the mail '{subject}': SMTP_URL is not set", { subject });
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

/** Milliseconds that closing waits for what is not sent yet. */
const FLUSH_TIME = 2000;

/**
 * Sends in the background. Mails wait in memory: they are lost when the process is killed. Urgent ones and notices
 * have lanes of their own, each with these limits, so that a link never waits behind a thousand notices.
 *
 * @param retryDelays Milliseconds before each further try; RFC 5321 section 4.5.4.1. @default 1 s, 10 s, 60 s
 * @param capacity How many mails may wait in a lane; more are dropped, and logged. @default 1000
 * @param perSender How many of one sender may wait in a lane, so that one cannot fill it. @default 100
 * @param concurrency How many of a lane are sent at a time. @default 4
 */
export function backgroundMailer(
  mailer: Mailer,
  log: Log,
  {
    retryDelays = [1000, 10_000, 60_000],
    capacity = 1000,
    perSender = 100,
    concurrency = 4,
  } = {},
): BackgroundMailer {
  const closing = new AbortController();
  const lane = () => ({ slots: semaphore(concurrency), queue: new Queue(capacity, perSender) });
  const urgent = lane();
  const notices = lane();
  const counts = { sent: 0, failed: 0 };
  const waiting = () => urgent.queue.size + notices.queue.size;

  async function deliver(
    compose: () => Mail | null | Promise<Mail | null>,
    slots: ReturnType<typeof semaphore>,
  ) {
    // A turn later, so that the work does not delay the answer to the request that asked for it.
    await delay(0);
    const mail = await compose();
    if (mail === null) return;
    for (const wait of [...retryDelays, null]) {
      try {
        await slots(() => mailer.send(mail));
        counts.sent++;
        return;
      } catch (error) {
        const last = wait === null || isPermanent(error) || closing.signal.aborted;
        if (last) throw error;
        log.warn("Cannot send a mail yet: {error}", { error: messageOf(error) });
        await delay(wait, closing.signal);
      }
    }
  }

  async function idle() {
    while (waiting() > 0) await Promise.all([urgent.queue.idle(), notices.queue.idle()]);
  }

  function lose(reason: string): void {
    counts.failed++;
    log.error("Cannot send a mail: {reason}", { reason });
  }

  return {
    state: () => ({ urgent: urgent.queue.size, notices: notices.queue.size, ...counts }),
    inBackground(compose, sending = {}) {
      const { slots, queue } = sending.urgent ? urgent : notices;
      const reason = closing.signal.aborted ? "the server stops" : queue.refusal(sending.sender);
      if (reason !== null) return lose(reason);
      queue.add(
        deliver(compose, slots).catch((error) => lose(messageOf(error))),
        sending.sender,
      );
    },
    idle,
    async close(milliseconds = FLUSH_TIME) {
      // Waiting retries are tried at once, and for the last time.
      closing.abort();
      const flushed = new AbortController();
      await Promise.race([idle(), delay(milliseconds, flushed.signal)]);
      flushed.abort();
      if (waiting() > 0) log.error("Mails not sent: {count}", { count: waiting() });
      await mailer.close();
    },
  };
}

/** What waits in a lane, all together and of each sender. */
class Queue {
  readonly #jobs = new Set<Promise<void>>();
  readonly #bySender = new Map<string, number>();

  constructor(readonly capacity: number, readonly perSender: number) {}

  get size(): number {
    return this.#jobs.size;
  }

  /** Why no more is taken; null when it is. */
  refusal(sender: string | undefined): string | null {
    if (this.size >= this.capacity) return `${this.capacity} are waiting`;
    const own = sender === undefined ? 0 : this.#bySender.get(sender) ?? 0;
    return own >= this.perSender ? `${this.perSender} of the same sender are waiting` : null;
  }

  add(job: Promise<void>, sender: string | undefined): void {
    const done = job.finally(() => {
      this.#jobs.delete(done);
      if (sender !== undefined) this.#count(sender, -1);
    });
    this.#jobs.add(done);
    if (sender !== undefined) this.#count(sender, 1);
  }

  #count(sender: string, change: number): void {
    const count = (this.#bySender.get(sender) ?? 0) + change;
    if (count > 0) this.#bySender.set(sender, count);
    else this.#bySender.delete(sender);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#jobs);
  }
}

/** Text for a header: without line breaks and other control characters. */
export function singleLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}

function isPermanent(error: unknown): boolean {
  return error instanceof Error && "permanent" in error && error.permanent === true;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function memo<T>(load: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => value ??= load();
}
