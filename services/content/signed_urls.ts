// Addresses of files that open without a token, for a short while: for downloads, images and players, which send none.
import type { Settings } from "../../config/settings.ts";
import { type ApiError, forbidden } from "../../core/errors.ts";
import { createSigner, type Signer } from "../../core/signing.ts";
import { MINUTE, SECOND } from "../../core/units.ts";
import { apiKeys } from "../../models/api_keys.ts";
import type { File } from "../../models/files.ts";
import { sessions } from "../../models/sessions.ts";
import type { Store } from "../../storage/port.ts";
import { permits, type Principal } from "../access/access.ts";
import { principalInPlan } from "../accounts/principals.ts";

/** Milliseconds that an address is good for. */
export const SIGNED_FOR = 5 * MINUTE;

/** What an address opens: one version of one file, to whom it was given, as long as they may read it. */
interface Grant {
  readonly file: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly inline: boolean;
  /** It ends as soon as the file has another version. */
  readonly latest?: boolean;
  /** The session or the API key of who asked for it. */
  readonly session?: string;
  readonly key?: string;
}

const signers = new WeakMap<Settings, Signer>();

function signerOf(settings: Settings): Signer {
  let signer = signers.get(settings);
  if (!signer) {
    signer = createSigner(settings.secrets.access, "addresses of files");
    signers.set(settings, signer);
  }
  return signer;
}

/**
 * The address of a file as it is now.
 *
 * @param options.inline Whether browsers are to show it, where that is safe, instead of saving it.
 * @param options.seconds How long it opens at most. @default 300
 * @param options.latest Whether it ends as soon as the file has another version. @default false
 */
export function signedUrl(
  settings: Settings,
  { id, version }: Pick<File, "id" | "version">,
  { principal, now, inline, seconds = SIGNED_FOR / SECOND, latest }: {
    readonly principal: Principal;
    readonly now: string;
    readonly inline: boolean;
    readonly seconds?: number;
    readonly latest?: boolean;
  },
): { readonly url: string; readonly expiresAt: string } {
  const { session, key } = principal;
  const until = Date.parse(now) + seconds * SECOND;
  const holder = { session: session?.id, key: key?.id };
  const grant: Grant = { file: id, version, until, inline, latest, ...holder };
  const token = signerOf(settings).sign(JSON.stringify(grant));
  const url = `${settings.basePath}/files/${id}/signed?token=${token}`;
  return { url, expiresAt: new Date(until).toISOString() };
}

/** Who reads by an address, and which version of the file. */
export interface Reader {
  readonly principal: Principal;
  readonly version: number;
  readonly inline: boolean;
  readonly latest: boolean;
}

/**
 * @param id The file of the path.
 * @throws {ApiError} FORBIDDEN for what was not signed here for this file, has expired, or was given in a session that
 * has ended or to someone who may not read files any more.
 */
export async function readerBy(
  { store, settings }: { readonly store: Store; readonly settings: Settings },
  { id, token, now }: { readonly id: string; readonly token: string; readonly now: string },
): Promise<Reader> {
  const text = signerOf(settings).open(token);
  const grant = text === null ? null : JSON.parse(text) as Grant;
  if (grant?.file !== id || grant.until <= Date.parse(now)) throw refused();
  const [session, key] = await Promise.all([
    grant.session === undefined ? null : store.from(sessions).get(grant.session),
    grant.key === undefined ? null : store.from(apiKeys).get(grant.key),
  ]);
  const end = session?.expiresAt ?? key?.expiresAt;
  const lasts = (session ?? key) !== null && (end === undefined || end > now);
  const principal = lasts ? await principalInPlan(store, { session, key }) : null;
  if (!principal || !permits(principal.permissions, "files:view")) throw refused();
  const { version, inline, latest = false } = grant;
  return { principal, version, inline, latest };
}

/** 403 for an address that opens nothing. */
export function refused(): ApiError {
  return forbidden("This address of a file has expired, or was never given: ask for another one");
}
