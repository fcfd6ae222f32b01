// Reads streams of events in tests, as a browser's EventSource would.
import assert from "node:assert/strict";
import type { Account, Harness } from "./harness.ts";
import { until } from "./until.ts";

export interface Received {
  /** `documents.updated` */
  readonly type: string;
  readonly id: string;
  // deno-lint-ignore no-explicit-any -- tests look into whatever came
  readonly data: any;
}

export class Listener {
  readonly events: Received[] = [];
  /** As EventSource keeps it. */
  lastEventId = "";
  /** Everything that came, as text. */
  text = "";
  ended = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(readonly response: Response) {
    this.#reader = response.body!.getReader();
    this.#read();
  }

  /** The types of the events with the ids of their records: `documents.updated <id>`. */
  get told(): string[] {
    return this.events.map(({ type, data }) => `${type} ${data.id ?? ""}`.trim());
  }

  /** Waits for an event. */
  async event(type: string, id?: string): Promise<Received> {
    const found = () =>
      this.events.find((event) =>
        event.type === type && (id === undefined || event.data.id === id)
      );
    await until(() => found() !== undefined || this.ended, `${type} ${id ?? ""}`);
    return found() ?? assert.fail(`the stream ended without ${type} ${id ?? ""}: ${this.told}`);
  }

  /** Waits until all up to a position was told. */
  async reaches(position: string): Promise<void> {
    await until(() => this.lastEventId >= position || this.ended, `the position ${position}`);
    assert.ok(this.lastEventId >= position, "the stream ended");
  }

  async end(): Promise<void> {
    await until(() => this.ended, "the end of the stream");
  }

  async drop(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
    this.ended = true;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (;;) {
        const { value, done } = await this.#reader.read();
        if (done) break;
        const text = decoder.decode(value, { stream: true });
        this.text += text;
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop()!;
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // The stream was cut: the reader comes again.
    }
    this.ended = true;
  }

  #take(block: string): void {
    const fields = new Map(
      block.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
        const [name = "", ...value] = line.split(": ");
        return [name, value.join(": ")] as const;
      }),
    );
    this.lastEventId = fields.get("id") ?? this.lastEventId;
    const data = fields.get("data");
    if (data === undefined) return;
    this.events.push({
      type: fields.get("event") ?? "message",
      id: this.lastEventId,
      data: JSON.parse(data),
    });
  }
}

/** Opens a stream of an application. */
export async function listen(
  h: Pick<Harness, "app" | "tokens">,
  as: Account | null,
  query = "",
  headers: Record<string, string> = {},
): Promise<Listener> {
  const request = new Request(`http://localhost/api/events${query}`, {
    headers: { ...(as ? { authorization: `Bearer ${h.tokens[as]}` } : {}), ...headers },
  });
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 } };
  const response = await h.app.fetch(request, info);
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  return new Listener(response);
}
