// A sign-in by a provider that may lie, from its beginning to the answer with the tokens.
import assert from "node:assert/strict";
import { type Harness, harness, type HarnessOptions } from "../harness.ts";
import { Browser } from "./browser.ts";
import { type Lies, LyingProvider } from "./lying.ts";
import { CLIENT } from "./real.ts";

export interface Scene {
  readonly h: Harness;
  readonly provider: LyingProvider;
  readonly browser: Browser;
}

export interface Options extends HarnessOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function withLiar(
  options: Options,
  test: (scene: Scene) => Promise<void>,
): Promise<void> {
  await using provider = await LyingProvider.start();
  const company = {
    name: "company",
    label: "The company",
    issuer: provider.issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    signUp: true,
    ...options.settings,
  };
  const twin = { ...company, name: "other", issuer: `${provider.issuer}/other` };
  const env = { OIDC_PROVIDERS: JSON.stringify([company, twin]), ...options.env };
  await using h = await harness({ ...options, env });
  await test({ h, provider, browser: new Browser(h) });
}

export type Back = Readonly<Record<string, string | undefined>>;

/** A whole sign-in up to the page of the application. */
export async function comeBack({ provider, browser }: Scene, lies: Lies = {}, back: Back = {}) {
  const authorization = await browser.begin();
  provider.lies = lies;
  return await browser.comeBack(provider.signIn(authorization, back));
}

export async function codeOf(scene: Scene, lies: Lies = {}): Promise<string> {
  const place = await comeBack(scene, lies);
  return place.get("code") ?? assert.fail(`${place}`);
}

/** A whole sign-in up to the answer with the tokens. */
export async function signIn(scene: Scene, claims: Lies["claims"] = {}) {
  return await scene.browser.exchange(await codeOf(scene, { claims }));
}
