// A receiver of webhooks on this machine: it keeps what arrives, and answers as a test says.
import { until } from "./until.ts";

export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The body, read. */
  // deno-lint-ignore no-explicit-any -- tests look into whatever came
  readonly event: any;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** In the order of arrival. */
  readonly received: Received[];
  /** What is answered. @default 204 */
  answer: (received: Received) => Response | Promise<Response>;
  /** Waits for so many requests. */
  arrived(count: number): Promise<void>;
}

export function openReceiver(): Receiver {
  const received: Received[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const body = await request.text();
    const headers = Object.fromEntries(request.headers);
    const one = { id: headers["webhook-id"]!, headers, body, event: JSON.parse(body) };
    received.push(one);
    return await self.answer(one);
  });
  const self: Receiver = {
    url: `http://127.0.0.1:${server.addr.port}/in`,
    received,
    answer: () => new Response(null, { status: 204 }),
    arrived: (count) => until(() => received.length >= count, `request ${count} of a webhook`),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
    },
  };
  return self;
}
