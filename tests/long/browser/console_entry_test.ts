// The ways into the console in a real browser: by password and code, by passkey, by a provider, by the links of mails.
import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Secret, TOTP } from "otpauth";
import { CLIENT, realProvider } from "../../providers/real.ts";
import { freePort } from "../../ports.ts";
import { type Server, startServer } from "../../server.ts";
import { startSmtpServer } from "../../services/messaging/smtp_server.ts";
import { persistently, until } from "../../until.ts";

import { addAuthenticator } from "./authenticator.ts";
import { complaintsOf, launch } from "./browser.ts";
import { accessibilityProblems, fieldReady, noProblems, shows } from "./console.ts";

const PASSWORD = "a quiet harbour";
const OWN = "another quiet harbour";
const ADMIN = "admin@example.com";

/** What the browser says of answers that a test provokes. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4(00|01)/;

/** Opens a browser of its own, and holds it to complain of nothing. */
async function visit(
  browser: Browser,
  run: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
) {
  const context = await browser.newContext({
    locale: "en-GB",
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  const complaints = complaintsOf(page);
  await run(page);
  assert.deepEqual(complaints.filter((one) => !REFUSED.test(one)), []);
  await context.close();
}

const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const field = (page: Page, name: string) => page.locator(`[name=${name}]`);

/** The frame is shown to those who are signed in alone. */
const inside = (page: Page) => page.locator("#sidebar").waitFor({ state: "attached" });

async function signIn(page: Page, email: string, password: string) {
  await field(page, "email").fill(email);
  await field(page, "password").fill(password);
  await press(page, "Sign in");
}

async function post<T>(server: Server, path: string, body: unknown, token?: string): Promise<T> {
  const response = await fetch(`${server.origin}/api${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** The path of a link in a mail, out of its quoted-printable text (RFC 2045 section 6.7); null: there is none. */
function linkIn(body: string, path: string): string | null {
  const text = body.replace(/=\r?\n/g, "").replaceAll("=3D", "=");
  const link = /http:\S+?\?token=[\w-]{43}/.exec(text)?.[0];
  const { pathname, search } = new URL(link ?? "http://none/");
  return pathname === path ? pathname + search : null;
}

Deno.test("console: every way in", async (t) => {
  const port = freePort();
  const home = `http://localhost:${port}`;
  await using smtp = await startSmtpServer();
  await using provider = await realProvider(`${home}/api/auth/oidc/company/callback`);
  await using server = await startServer({
    PORT: String(port),
    PUBLIC_URL: home,
    SMTP_URL: smtp.url,
    ADMIN_PASSWORD: PASSWORD,
    OIDC_PROVIDERS: JSON.stringify([{
      name: "company",
      label: "The company",
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      signUp: true,
    }]),
  });
  await using browser = await launch();
  /** The link of the newest mail that has one to this path. */
  const mailed = async (path: string) => {
    const found = () => smtp.mails.map(({ body }) => linkIn(body, path)).findLast(Boolean);
    await until(() => Boolean(found()), "a mail");
    return found()!;
  };

  await t.step("axe finds nothing, light and dark, wide and narrow", async () => {
    const paths = ["/login?notice=reset", "/register", "/forgot-password", "/verify-email?token=x"];
    for (const colorScheme of ["light", "dark"] as const) {
      await visit(browser, async (page) => {
        for (const path of [...paths, "/reset-password", "/oidc?error=denied"]) {
          await page.goto(home + path);
          await page.getByRole("heading", { level: 1 }).waitFor();
          await page.locator(".entry-card").waitFor();
          const dark = colorScheme === "dark";
          assert.deepEqual(await accessibilityProblems(page, { dark }), [], path);
          for (const width of [320, 1440]) {
            await page.setViewportSize({ width, height: 800 });
            await persistently(async () => {
              const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
              assert.ok(wide <= width, `${path} is ${wide} px wide at ${width}`);
            });
          }
        }
      }, { colorScheme });
    }
  });

  await t.step("by password, by keyboard alone, back to where one was sent from", async () => {
    await visit(browser, async (page) => {
      await page.goto(`${home}/account/security?a=1`);
      await heading(page, "Sign in");
      assert.equal(page.url(), `${home}/login?redirect=%2Faccount%2Fsecurity%3Fa%3D1`);
      await fieldReady(page);
      await page.keyboard.type(ADMIN);
      await page.keyboard.press("Tab");
      await page.keyboard.type("not the password");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("E-mail or password is wrong").waitFor();
      assert.equal(await field(page, "email").inputValue(), ADMIN, "what was typed stays");
      await field(page, "password").focus();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press("Enter");
      await heading(page, "Security");
      assert.equal(page.url(), `${home}/account/security?a=1`);
      await page.locator("h1:focus").waitFor();
      const kept = await page.evaluate<string>("localStorage.getItem('quarterdeck.session')");
      assert.ok(!kept.includes("refreshToken"), "no script reads what lives long");
    });
  });

  await t.step("a link elsewhere leads nowhere", async () => {
    await visit(browser, async (page) => {
      await page.goto(`${home}/login?redirect=${encodeURIComponent("//evil.example/account")}`);
      await signIn(page, ADMIN, PASSWORD);
      await inside(page);
      assert.equal(new URL(page.url()).origin, home);
    });
  });

  await t.step("registering, and the address confirmed by the mailed link", async () => {
    await visit(browser, async (page) => {
      await page.goto(`${home}/register`);
      await field(page, "name").fill("N");
      await field(page, "email").fill("new@example.com");
      await field(page, "password").fill("12345");
      await press(page, "Create account");
      await page.getByText("at least 2 characters").waitFor();
      assert.equal(await field(page, "name").getAttribute("aria-invalid"), "true");
      await field(page, "name").fill("New Person");
      await field(page, "password").fill(PASSWORD);
      await press(page, "Create account");
      await page.waitForURL(`${home}/**`, { waitUntil: "commit" });
      await inside(page);
    });
    const link = await mailed("/verify-email");
    await visit(browser, async (page) => {
      await page.goto(home + link);
      await heading(page, "Confirm your e-mail address");
      assert.equal(page.url(), `${home}/verify-email`, "the token is in the address no more");
      await page.reload();
      await page.getByText("It was not me").click();
      await field(page, "newPassword").fill(OWN);
      await press(page, "Set password and confirm");
      await page.getByRole("status").getByText("is confirmed: sign in").waitFor();
      await signIn(page, "new@example.com", OWN);
      await inside(page);
    }, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  });

  await t.step("a forgotten password", async () => {
    await visit(browser, async (page) => {
      await page.goto(`${home}/login`);
      await page.getByRole("link", { name: "Forgot your password?" }).click();
      // The page before it has such a field too.
      await page.getByRole("button", { name: "Send the link" }).waitFor();
      await field(page, "email").fill("new@example.com");
      await press(page, "Send the link");
      await heading(page, "Look into your mail");
    });
    const link = await mailed("/reset-password");
    await visit(browser, async (page) => {
      await page.goto(home + link);
      await field(page, "password").fill("password");
      await press(page, "Set password");
      await page.getByText("10,000 most common").waitFor();
      await field(page, "password").fill(PASSWORD);
      await press(page, "Set password");
      await page.getByText("The password is set").waitFor();
      await page.goto(home + link);
      await field(page, "password").fill(PASSWORD);
      await press(page, "Set password");
      await page.getByRole("alert").getByText("The link is not valid any more").waitFor();
    });
  });

  await t.step("an invitation", async () => {
    const { accessToken } = await post<{ accessToken: string }>(server, "/auth/login", {
      email: ADMIN,
      password: PASSWORD,
    });
    await post(server, "/users", { name: "Guest", email: "guest@example.com" }, accessToken);
    const link = await mailed("/accept-invitation");
    await visit(browser, async (page) => {
      await page.goto(home + link);
      await heading(page, "Welcome aboard");
      await field(page, "password").fill(PASSWORD);
      await press(page, "Set password");
      await page.getByText("The password is set").waitFor();
      await signIn(page, "guest@example.com", PASSWORD);
      await inside(page);
    });
  });

  await t.step("by a provider, the first time and once more", async () => {
    await visit(browser, async (page) => {
      // The provider's own page asks for these.
      await page.route(
        ({ href }) => /fonts\.|favicon/.test(href),
        (route) => route.fulfill({ status: 204 }),
      );
      for (const time of ["first", "second"]) {
        await page.goto(`${home}/login?redirect=%2Faccount`);
        await press(page, "Continue with The company");
        if (time === "first") {
          await page.locator("[name=login]").fill("person");
          await page.locator("[name=password]").fill("any");
          await page.locator("[type=submit]").click();
        }
        await heading(page, "Profile");
        assert.equal(page.url(), `${home}/account`);
        await shows(() => field(page, "name").inputValue(), "The person");
        await page.evaluate("localStorage.clear()");
      }
    });
  });

  await t.step("with a second factor: a code, or a recovery code", async () => {
    const { accessToken } = await post<{ accessToken: string }>(server, "/auth/login", {
      email: "guest@example.com",
      password: PASSWORD,
    });
    const { secret } = await post<{ secret: string }>(server, "/auth/mfa/totp", {}, accessToken);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const { recoveryCodes } = await post<{ recoveryCodes: string[] }>(
      server,
      "/auth/mfa/totp/confirm",
      { code: totp.generate() },
      accessToken,
    );
    await visit(browser, async (page) => {
      await page.goto(`${home}/login?redirect=%2Faccount`);
      await signIn(page, "guest@example.com", PASSWORD);
      await heading(page, "One thing more");
      await noProblems(page, "the second factor");
      await field(page, "code").fill("000000");
      await press(page, "Continue");
      await page.getByRole("alert").waitFor();
      // The one before is used up; that of the next time step is taken too (RFC 6238 section 5.2).
      await field(page, "code").fill(totp.generate({ timestamp: Date.now() + 30_000 }));
      await press(page, "Continue");
      await heading(page, "Profile");
    });
    await visit(browser, async (page) => {
      await page.goto(`${home}/login?redirect=%2Faccount`);
      await signIn(page, "guest@example.com", PASSWORD);
      await press(page, "Use a recovery code");
      await fieldReady(page);
      await page.keyboard.type(recoveryCodes[0]!);
      await page.keyboard.press("Enter");
      await heading(page, "Profile");
    });
  });

  await t.step("by a passkey, offered where the name is filled in too", async () => {
    await visit(browser, async (page) => {
      await addAuthenticator(page);
      // The simulated person takes what the browser offers, at once: so at first it offers nothing.
      await page.addInitScript({
        content: "if (sessionStorage.getItem('offers') === 'none') " +
          "PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);",
      });
      await page.goto(`${home}/login?redirect=%2Faccount%2Fsecurity`);
      await signIn(page, "new@example.com", PASSWORD);
      await heading(page, "Security");
      await press(page, "Add a passkey");
      await heading2(page, "Your recovery codes");
      await press(page, "I have kept them");
      await page.getByText("Not used yet").waitFor();
      await page.evaluate("localStorage.clear(), sessionStorage.setItem('offers', 'none')");
      await page.goto(`${home}/login?redirect=%2Faccount`);
      await press(page, "Sign in with a passkey");
      await heading(page, "Profile");
      await page.evaluate("localStorage.clear(), sessionStorage.clear()");
      await page.goto(`${home}/login?redirect=%2Faccount`);
      await heading(page, "Profile");
    });
  });

  await t.step("a browser that cannot offer passkeys unasked says nothing of it", async () => {
    await visit(browser, async (page) => {
      await page.addInitScript({
        content: "PublicKeyCredential.isConditionalMediationAvailable = async () => true;" +
          "CredentialsContainer.prototype.get = async () => {" +
          "  globalThis.offered = true;" +
          "  throw new DOMException('Not supported at this time', 'NotSupportedError');" +
          "};",
      });
      await page.goto(`${home}/login`);
      await persistently(async () => assert.ok(await page.evaluate("globalThis.offered")));
      await page.evaluate("new Promise((drawn) => setTimeout(drawn, 200))");
      assert.deepEqual(await page.getByRole("alert").allInnerTexts(), []);
    });
  });

  await t.step("in Chinese, and from right to left", async () => {
    await visit(browser, async (page) => {
      await page.goto(`${home}/login`);
      await heading(page, "登录");
      await field(page, "email").fill(ADMIN);
      await field(page, "password").fill("不是密码");
      await press(page, "登录");
      // The server speaks the language that the console speaks.
      await page.getByRole("alert").getByText("密码").first().waitFor();
      await press(page, "English");
      await heading(page, "Sign in");
      await page.locator("html[lang=en]").waitFor({ state: "attached" });
      await press(page, "中文");
      await heading(page, "登录");
      await page.goto(`${home}/login?redirect=%2Faccount%2Fpreferences`);
      await field(page, "email").fill(ADMIN);
      await field(page, "password").fill(PASSWORD);
      await press(page, "登录");
      await heading(page, "偏好设置");
      await page.getByLabel("文字方向").selectOption({ label: "从右到左" });
      await page.locator("html[dir=rtl]").waitFor();
      await page.getByRole("button", { name: /^我的账户/ }).click();
      await page.getByRole("menuitem", { name: "退出登录" }).click();
      await heading(page, "登录");
      // Whoever signs out leaves the browser as it is.
      for (const path of ["/login", "/register"]) {
        await page.goto(home + path);
        await page.getByRole("heading", { level: 1 }).waitFor();
        assert.equal(await page.evaluate("document.documentElement.dir"), "rtl");
        assert.equal(await page.evaluate("document.documentElement.lang"), "zh");
        await noProblems(page, `${path} from right to left`);
        const [label, input] = await Promise.all(
          ["label", "input"].map((name) =>
            page.locator(`.entry-card ${name}`).first().boundingBox()
          ),
        );
        const right = ({ x, width }: { x: number; width: number }) => x + width;
        assert.ok(Math.abs(right(label!) - right(input!)) < 4, "a label stands at the right");
      }
    }, { locale: "zh-CN" });
  });
});

const heading2 = (page: Page, name: string) =>
  page.getByRole("heading", { level: 2, name, exact: true }).waitFor();

Deno.test("console: the first start names the administrator", async () => {
  await using server = await startServer({ ADMIN_PASSWORD: "" });
  await using browser = await launch();
  await visit(browser, async (page) => {
    await page.goto(`${server.origin}/`);
    await heading(page, "Welcome to Quarterdeck");
    assert.equal(page.url(), `${server.origin}/setup`);
    await noProblems(page, "the first start");
    await field(page, "name").fill("Captain");
    await field(page, "email").fill("captain@example.com");
    await field(page, "password").fill("12345678");
    await press(page, "Begin");
    await page.getByText("10,000 most common").waitFor();
    await noProblems(page, "a password that is refused");
    await field(page, "password").fill(PASSWORD);
    await press(page, "Begin");
    await inside(page);
    await page.evaluate("localStorage.clear()");
    await page.goto(`${server.origin}/setup`);
    await page.getByText("set up already").waitFor();
    await page.goto(`${server.origin}/login`);
    await heading(page, "Sign in");
  });
});
