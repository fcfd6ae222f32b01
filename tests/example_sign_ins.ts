// The sign-ins of the API document's examples: each done as people do it, with an authenticator, a passkey, a mail.
import assert from "node:assert/strict";
import { createApp } from "../app.ts";
import { type Endpoint, fullPath } from "../http/endpoint.ts";
import { SESSION_COOKIE } from "../http/cookies.ts";
import { identities } from "../models/identities.ts";
import { Authenticator } from "./authenticator.ts";
import { type Ask, type Harness, PASSWORD, PROVIDER, type Reply } from "./harness.ts";
import { seedRoles } from "../services/accounts/first_start.ts";
import { openTestStore } from "./storage/open.ts";
import { providerCode, type Scene, sceneOf, totpCode } from "./writes.ts";

/** Takes what was sent and answered as the example of an endpoint. */
export type Keep = (endpoint: Endpoint, body: unknown, reply: Reply) => Promise<void>;

/** Asks an endpoint by its operationId, and keeps what it answers. */
type Post = (id: string, body?: unknown, ask?: Ask) => Promise<Reply>;

/** What people do before they are known. */
export async function signIns(h: Harness, keep: Keep): Promise<void> {
  const post: Post = async (id, body, ask) => {
    const endpoint = h.app.endpoints.find(({ operationId }) => operationId === id)!;
    const reply = await h.ask("POST", fullPath(endpoint, h.settings.basePath), { ...ask, body });
    await keep(endpoint, body, reply);
    return reply;
  };
  await firstRun(h, keep);
  await byPassword(h, post);
  await newAddress(h, post);
  await bySecondFactor(await sceneOf(h), post);
  await byPasskey(await sceneOf(h), post);
  await byProvider(await sceneOf(h), post);
}

/** On a store of its own, where there is nobody yet. */
async function firstRun({ app, settings, clock }: Harness, keep: Keep): Promise<void> {
  const store = await openTestStore({ clock: clock.now });
  try {
    await seedRoles(store, settings.variant);
    const { mailer } = app.services;
    const { fetch } = createApp({ store, settings, mailer, clock: clock.now });
    const body = {
      name: "Grace Keel",
      email: "admin@example.com",
      password: PASSWORD,
      confirmPassword: PASSWORD,
    };
    const response = await fetch(
      new Request(`http://localhost${settings.basePath}/setup`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
    const { status, headers } = response;
    const text = await response.text();
    assert.equal(status, 200, text);
    const answer = JSON.parse(text);
    const endpoint = app.endpoints.find(({ operationId }) => operationId === "setUp")!;
    await keep(endpoint, body, { status, headers, text, body: answer, data: answer.data });
  } finally {
    await store.close();
  }
}

async function byPassword(h: Harness, post: Post): Promise<void> {
  const email = "user@example.com";
  const { body, headers } = await post("login", { email, password: PASSWORD });
  await post("refreshTokens", { refreshToken: body.refreshToken });
  const [cookie = ""] = headers.getSetCookie().find((one) => one.startsWith(SESSION_COOKIE))!
    .split(";");
  await post("checkIn", undefined, { headers: { cookie } });
  const newcomer = { name: "New Person", email: "new@example.com", password: PASSWORD };
  await post("register", newcomer);
  const token = h.mailedToken(newcomer.email);
  await post("verifyEmail", { token, password: PASSWORD });
  await post("forgotPassword", { email });
  const password = "another fine password";
  await post("resetPassword", { token: h.mailedToken(email), password });
}

async function newAddress(h: Harness, post: Post): Promise<void> {
  const { token } = await sceneOf(h);
  const email = "moved@example.com";
  const body = { email, currentPassword: PASSWORD };
  const { status, text } = await h.ask("PUT", "/api/users/me", { token, body });
  assert.equal(status, 200, text);
  await post("confirmEmail", { token: h.mailedToken(email), password: PASSWORD });
}

/** A log-in as far as the second factor. */
async function challengeOf({ caller: { email } }: Scene, post: Post): Promise<string> {
  const { body } = await post("login", { email, password: PASSWORD });
  return body.challenge;
}

async function bySecondFactor(scene: Scene, post: Post): Promise<void> {
  const code = await totpCode(scene);
  const { recoveryCodes } = await scene.make("/auth/mfa/totp/confirm", { code });
  const challenge = await challengeOf(scene, post);
  await post("completeSecondFactor", { challenge, code: recoveryCodes[0] });
}

async function byPasskey(scene: Scene, post: Post): Promise<void> {
  const { make, h } = scene;
  const authenticator = new Authenticator();
  const at = { origin: h.settings.publicUrl };
  const options = await make("/auth/passkeys/options", undefined);
  await make("/auth/passkeys", { credential: authenticator.make(options, at) });
  const { data } = await post("getPasskeySignInOptions");
  await post("signInByPasskey", { credential: authenticator.use(data, at) });
  const challenge = await challengeOf(scene, post);
  const asked = await post("getSecondFactorPasskeyOptions", { challenge });
  const credential = authenticator.use(asked.data, at);
  await post("completeSecondFactorByPasskey", { challenge, credential });
}

async function byProvider(scene: Scene, post: Post): Promise<void> {
  const subject = "their id at the provider";
  const linked = { userId: scene.caller.id, issuer: PROVIDER.issuer, subject };
  await scene.h.store.transact({ userId: null }, (tx) => tx.insert(identities, linked));
  await post("exchangeProviderCode", providerCode(scene, subject));
}
