// Sending mail: by SMTP, to the log or nowhere, and in the background with retries.
import type { Logger } from "@logtape/logtape";
import type { Config } from "../config.ts";
import { semaphore } from "./semaphore.ts";

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

export interface BackgroundMailer {
  /**
   * Composes and sends a mail after the request that asks for it is answered; null sends none. Failures are logged.
   */
  inBackground(compose: () => Mail | null | Promise<Mail | null>): void;
  /** Resolves when nothing is waiting. */
  idle(): Promise<void>;
  /** Sends what is waiting, for at most 2 s. */
  close(): Promise<void>;
}

type Log = Pick<Logger, "info" | "warn" | "error">;

/** The mailer that the settings ask for. Without SMTP, mails are logged outside production and dropped in it. */
export function openMailer(
  { smtpUrl, mailFrom, production }: Pick<Config, "smtpUrl" | "mailFrom" | "production">,
  log: Log,
): Mailer {
  if (smtpUrl !== undefined) return smtpMailer(smtpUrl, mailFrom);
  return production ? nullMailer(log) : logMailer(log);
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
 * Sends in the background. Mails wait in memory: they are lost when the process is killed.
 *
 * @param retryDelays Milliseconds before each further try; RFC 5321 section 4.5.4.1. @default 1 s, 10 s, 60 s
 * @param capacity How many mails may wait; more are dropped, and logged. @default 1000
 * @param concurrency How many are sent at a time. @default 4
 */
export function backgroundMailer(
  mailer: Mailer,
  log: Log,
  { retryDelays = [1000, 10_000, 60_000], capacity = 1000, concurrency = 4 } = {},
): BackgroundMailer {
  const closing = new AbortController();
  const pending = new Set<Promise<void>>();
  const slots = semaphore(concurrency);

  async function deliver(compose: () => Mail | null | Promise<Mail | null>) {
    // A turn later, so that the work does not delay the answer to the request that asked for it.
    await delay(0);
    const mail = await compose();
    if (mail === null) return;
    for (const wait of [...retryDelays, null]) {
      try {
        return await slots(() => mailer.send(mail));
      } catch (error) {
        const last = wait === null || isPermanent(error) || closing.signal.aborted;
        if (last) throw error;
        log.warn("Cannot send a mail yet: {error}", { error: messageOf(error) });
        await delay(wait, closing.signal);
      }
    }
  }

  async function idle() {
    while (pending.size > 0) await Promise.all(pending);
  }

  return {
    inBackground(compose) {
      if (pending.size >= capacity || closing.signal.aborted) {
        const reason = closing.signal.aborted ? "the server stops" : `${capacity} are waiting`;
        log.error("Cannot send a mail: {reason}", { reason });
        return;
      }
      const job = deliver(compose)
        .catch((error) => log.error("Cannot send a mail: {error}", { error: messageOf(error) }))
        .finally(() => pending.delete(job));
      pending.add(job);
    },
    idle,
    async close() {
      // Waiting retries are tried at once, and for the last time.
      closing.abort();
      const flushed = new AbortController();
      await Promise.race([idle(), delay(FLUSH_TIME, flushed.signal)]);
      flushed.abort();
      if (pending.size > 0) log.error("Mails not sent: {count}", { count: pending.size });
      await mailer.close();
    },
  };
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

/** Resolves after so many milliseconds, or when the signal aborts. */
function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
