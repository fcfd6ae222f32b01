// Two applications on one store, as two processes have them: a limit on guesses holds for both together.
import assert from "node:assert/strict";
import { type App, createApp } from "../../../app.ts";
import { SECOND } from "../../../core/units.ts";
import { rateLimits } from "../../../services/accounts/limits.ts";
import { openSqlStore } from "../../../sql/store.ts";
import type { Store } from "../../../storage/port.ts";
import { harness, hashAtFullCost, PASSWORD } from "../../harness.ts";
import { postgresDatabase } from "../../sql/databases.ts";
import { openShared } from "../../storage/open.ts";

hashAtFullCost();

type Clock = () => Date;

/** Opens a store twice. */
const engines: Readonly<Record<string, (clock: Clock) => Promise<[Store, Store]>>> = {
  "Deno KV": (clock) => openShared({ clock }),
  Postgres: async (clock) => {
    const { url, drop } = await postgresDatabase();
    const open = () => openSqlStore({ url, clock, pool: { max: 3 } });
    const [first, second] = [await open(), await open()];
    const close = first.close.bind(first);
    first.close = async () => {
      await close();
      await drop();
    };
    return [first, second];
  },
};

const from = (hostname: string) => ({ remoteAddr: { transport: "tcp", hostname, port: 1 } });

async function logIn(app: App, password: string, address: string): Promise<Response> {
  const request = new Request("http://localhost/api/auth/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "user@example.com", password }),
  });
  const response = await app.fetch(request, from(address));
  await response.body?.cancel();
  return response;
}

for (const [engine, open] of Object.entries(engines)) {
  Deno.test(`limits over processes: failures at one count at the other (${engine})`, async () => {
    let second: Store | undefined;
    await using h = await harness({
      open: async (clock) => {
        const [first, other] = await open(clock);
        second = other;
        return first;
      },
    });
    const { settings, clock } = h;
    const { mailer } = h.app.services;
    const other = createApp({
      store: second!,
      settings,
      mailer,
      clock: clock.now,
      elapsed: clock.elapsed,
    });
    try {
      const apps = [h.app, other];
      const statuses: number[] = [];
      for (let n = 0; n < rateLimits.login.perPair + 3; n++) {
        statuses.push((await logIn(apps[n % 2]!, "wrong", "192.0.2.1")).status);
        clock.advance(100);
        for (const { services } of apps) await services.limiter.exchange();
      }
      const { perPair } = rateLimits.login;
      const refused = statuses.indexOf(429);
      assert.ok(refused >= perPair && refused <= perPair * 1.1, `${statuses}`);
      assert.ok(statuses.slice(refused).every((status) => status === 429), `${statuses}`);
      for (const app of apps) {
        const limited = await logIn(app, PASSWORD, "192.0.2.1");
        assert.equal(limited.status, 429);
        const wait = Number(limited.headers.get("retry-after"));
        assert.ok(Math.abs(wait - rateLimits.login.window) <= 3, `${wait}`);
        assert.equal((await logIn(app, PASSWORD, "192.0.2.2")).status, 200, "a fresh address");
      }
      for (const { text } of await h.store.notes.list("limits/")) {
        assert.doesNotMatch(text, /192\.0\.2|user@|example/);
      }
      clock.advance(rateLimits.deviceMail.window * SECOND);
      for (const { services } of apps) await services.limiter.exchange();
      assert.deepEqual(await h.store.notes.list("limits/"), [], "nothing stays");
    } finally {
      await second!.close();
    }
  });
}
