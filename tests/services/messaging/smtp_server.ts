// A small SMTP server on the loopback address, for tests of mail: it keeps what it is told (RFC 5321, RFC 4954).
import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface ReceivedMail {
  /** Of MAIL FROM. */
  readonly from: string;
  /** Of RCPT TO. */
  readonly to: string[];
  /** By lower-case name, unfolded, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** `user:password` of AUTH PLAIN. */
  readonly credentials: string | undefined;
}

interface SmtpServerOptions {
  /** Credentials to require, as `user:password`. */
  readonly credentials?: string;
  /** What to answer to the end of the data, one for each mail; then 250. "hang" answers nothing. */
  readonly answers?: string[];
  /** Says nothing, not even the greeting. */
  readonly silent?: boolean;
}

export interface SmtpServer extends AsyncDisposable {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** How many connections were made. */
  readonly connections: number;
}

export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    if (!options.silent) converse(socket, options, (mail) => mails.push(mail));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(
  socket: Socket,
  { credentials: required, answers = [] }: SmtpServerOptions,
  receive: (mail: ReceivedMail) => void,
) {
  let from = "";
  let to: string[] = [];
  let data: string[] | null = null;
  let given = "";
  let buffer = "";
  socket.setEncoding("utf8");
  socket.write("220 test ESMTP\r\n");
  socket.on("data", (chunk: string) => {
    const lines = (buffer + chunk).split("\r\n");
    buffer = lines.pop() ?? "";
    for (const line of lines) {
      const reply = data ? onData(line, data) : onCommand(line);
      if (reply !== null) socket.write(`${reply}\r\n`);
    }
  });

  function onCommand(line: string): string {
    const [verb = "", , argument = ""] = line.split(" ");
    const address = /<(.*?)>/.exec(line)?.[1] ?? "";
    switch (verb.toUpperCase()) {
      case "EHLO":
        return required ? "250-test\r\n250 AUTH PLAIN" : "250 test";
      case "AUTH":
        given = atob(argument).split("\0").slice(1).join(":");
        return given === required ? "235 welcome" : "535 wrong credentials";
      case "MAIL":
        if (required && given !== required) return "530 authentication required";
        [from, to] = [address, []];
        return "250 ok";
      case "RCPT":
        to.push(address);
        return "250 ok";
      case "DATA":
        data = [];
        return "354 go on";
      case "QUIT":
        return "221 bye";
      default:
        return "502 unknown command";
    }
  }

  function onData(line: string, lines: string[]): string | null {
    if (line !== ".") {
      lines.push(line.replace(/^\./, ""));
      return null;
    }
    data = null;
    const answer = answers.shift() ?? "250 ok";
    if (answer === "hang") return null;
    if (answer.startsWith("250")) {
      receive({ from, to, ...parse(lines.join("\r\n")), credentials: given || undefined });
    }
    return answer;
  }
}

function parse(message: string): Pick<ReceivedMail, "headers" | "body"> {
  const end = message.indexOf("\r\n\r\n");
  const headers = message.slice(0, end).replace(/\r\n[ \t]+/g, " ").split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { headers, body: message.slice(end + 4) };
}
