// Checks a signature of AWS Signature Version 4 from the request as it arrived, by the specification and nothing else.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
}

export interface RawRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Milliseconds that clocks may differ. */
const SKEW = 15 * 60 * 1000;

/** The code that S3 refuses the request with; null where the signature is right. */
export function signatureProblem(request: RawRequest, keys: Keys, now: number): string | null {
  const { headers, body } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, day, region, signed, signature] = form.exec(headers.authorization ?? "") ?? [];
  if (!id || !day || !region || !signed || !signature) return "AuthorizationHeaderMalformed";
  if (region !== keys.region) return "AuthorizationHeaderMalformed";
  if (id !== keys.accessKeyId) return "InvalidAccessKeyId";
  if (headers["x-amz-security-token"] !== keys.sessionToken) return "InvalidToken";
  const date = headers["x-amz-date"] ?? "";
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(now - at) <= SKEW) || !date.startsWith(day)) return "RequestTimeTooSkewed";
  const names = signed.split(";");
  const needed = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
  if (!needed.every((name) => names.includes(name)) || !names.includes("x-amz-content-sha256")) {
    return "AccessDenied";
  }
  const hash = createHash("sha256").update(body).digest("hex");
  if (headers["x-amz-content-sha256"] !== hash) return "XAmzContentSHA256Mismatch";
  const scope = `${day}/${region}/s3/aws4_request`;
  const canonical = canonicalRequest(request, names);
  const digest = createHash("sha256").update(canonical).digest("hex");
  const expected = hmac(
    signingKey(keys.secretAccessKey, day, region),
    `AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`,
  );
  return timingSafeEqual(expected, Uint8Array.fromHex(signature)) ? null : "SignatureDoesNotMatch";
}

function canonicalRequest({ method, target, headers }: RawRequest, names: readonly string[]) {
  const [path = "", query = ""] = target.split(/\?(.*)/s);
  const pairs = query.split("&").filter((pair) => pair !== "").map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    return [encoded(decoded(name)), encoded(decoded(value))] as const;
  });
  const inOrder = pairs.sort(([a, x], [b, y]) => a === b ? compare(x, y) : compare(a, b));
  return [
    method,
    path.split("/").map((segment) => encoded(decoded(segment))).join("/"),
    inOrder.map((pair) => pair.join("=")).join("&"),
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    headers["x-amz-content-sha256"],
  ].join("\n");
}

function signingKey(secret: string, day: string, region: string): Uint8Array {
  const steps = [day, region, "s3", "aws4_request"];
  return steps.reduce<Uint8Array>(hmac, new TextEncoder().encode(`AWS4${secret}`));
}

function hmac(key: Uint8Array, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll("+", "%20"));
}

/** Every byte but letters, digits and `-._~`. */
function encoded(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9._~-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
