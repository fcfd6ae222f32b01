// BACKUP_S3_URL and its keys: the bucket that backups go to besides.
import { type Environment, SettingsError } from "./environment.ts";

/** A place in a bucket of a server that speaks S3, and the keys to it. */
export interface BucketSettings {
  /** The address of the bucket, without a slash at its end: `https://s3.example.com/bucket`. */
  readonly url: string;
  readonly name: string;
  /** What the names of objects begin with: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** A bucket in the name of the host, as AWS has them: `bucket.s3.eu-central-1.amazonaws.com`. */
const IN_HOST = /^(.+)\.s3[.-](?:[a-z0-9.-]+\.)?amazonaws\.com(?:\.cn)?$/;
const REGION_IN_HOST = /(?:^|\.)s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com/;
/** Where neither the host nor the URL tells: what AWS began with, and others take for theirs. */
const REGION = "us-east-1";

type Place = Pick<BucketSettings, "url" | "name" | "prefix" | "region">;

/**
 * `https://endpoint/bucket/prefix?region=…`; on AWS the bucket may be in the host. Names are of characters that no
 * server and no signature reads otherwise.
 *
 * @returns Null for what is no such URL.
 */
export function parseBucketUrl(text: string): Place | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    return null;
  }
  const { region = REGION_IN_HOST.exec(url.hostname)?.[1] ?? REGION, ...others } = Object
    .fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !/^[a-z0-9-]{1,40}$/.test(region)) return null;
  const inHost = IN_HOST.exec(url.hostname)?.[1];
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const name = inHost ?? segments.shift();
  if (name === undefined) return null;
  if (![name, ...segments].every((segment) => /^[\w.-]{1,255}$/.test(segment))) return null;
  return {
    url: inHost === undefined ? `${url.origin}/${name}` : url.origin,
    name,
    prefix: segments.map((segment) => `${segment}/`).join(""),
    region,
  };
}

/** What is wrong with the variables together. */
export function bucketProblems(env: Environment): string[] {
  const { BACKUP_S3_URL: url } = env;
  const keys = ["BACKUP_S3_ACCESS_KEY_ID", "BACKUP_S3_SECRET_ACCESS_KEY"];
  if (url) {
    return keys.filter((name) => !env[name]).map((name) =>
      `${name}: it is required with BACKUP_S3_URL`
    );
  }
  return keys.filter((name) => env[name]).map((name) =>
    `${name}: it is of no use without BACKUP_S3_URL. Example: BACKUP_S3_URL=${BUCKET_EXAMPLE}`
  );
}

export const BUCKET_EXAMPLE = "https://s3.example.com/bucket/prefix?region=eu-central-1";

/**
 * The bucket that the environment names; null where it names none.
 *
 * @throws {SettingsError}
 */
export function bucketOf(env: Environment): BucketSettings | null {
  const { BACKUP_S3_URL: text } = env;
  if (!text) return null;
  const place = parseBucketUrl(text);
  const problems = place
    ? bucketProblems(env)
    : [`BACKUP_S3_URL: expected a URL such as ${BUCKET_EXAMPLE}`];
  if (!place || problems.length > 0) {
    throw new SettingsError(`Cannot use the bucket: ${problems.join("\n")}`);
  }
  return {
    ...place,
    accessKeyId: env.BACKUP_S3_ACCESS_KEY_ID!,
    secretAccessKey: env.BACKUP_S3_SECRET_ACCESS_KEY!,
    sessionToken: env.BACKUP_S3_SESSION_TOKEN || undefined,
  };
}
