// A browser's own EventSource: by the session cookie on the same origin, and by a ticket.
import assert from "node:assert/strict";
import { client, signIn } from "../../client.ts";
import { startServer } from "../../server.ts";
import { launch } from "./browser.ts";

const PASSWORD = "watched in a browser";

for (const way of ["cookie", "ticket"]) {
  Deno.test(`browser: EventSource is told what changes, by ${way}`, async () => {
    await using server = await startServer({ ADMIN_PASSWORD: PASSWORD });
    const ask = client(server, await signIn(server, PASSWORD));
    await using browser = await launch();
    const page = await browser.newPage();
    await page.goto(`${server.origin}/api/health`);
    await page.evaluate(`(async () => {
      const login = await fetch("/api/auth/login", {
        method: "POST",
        credentials: "${way === "cookie" ? "same-origin" : "omit"}",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "admin@example.com", password: "${PASSWORD}" }),
      });
      const { accessToken } = (await login.json()).data;
      let query = "?collections=documents";
      if ("${way}" === "ticket") {
        const answer = await fetch("/api/events/ticket", {
          method: "POST",
          credentials: "omit",
          headers: { authorization: "Bearer " + accessToken },
        });
        query += "&ticket=" + (await answer.json()).data.ticket;
      }
      window.told = [];
      const source = new EventSource("/api/events" + query);
      source.addEventListener("documents.created", (event) =>
        window.told.push([event.lastEventId, JSON.parse(event.data).id]));
      await new Promise((resolve, reject) => {
        source.onopen = resolve;
        source.onerror = () => reject(new Error("the stream does not open"));
      });
    })()`);
    const made = await ask("POST", "/api/documents", { title: "Told" });
    assert.equal(made.status, 201);
    await page.waitForFunction("window.told.length > 0");
    const [[id, recordId]] = await page.evaluate<[[string, string]]>("window.told");
    assert.equal(recordId, made.body.data.id);
    assert.match(id, /^[0-9a-f.]+-\d{6}$/);
  });
}
