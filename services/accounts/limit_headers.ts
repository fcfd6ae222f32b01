// What answers tell of limits on how often: Retry-After, and the fields of draft-ietf-httpapi-ratelimit-headers-11.
// https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-11
import { ApiError } from "../../core/errors.ts";

/** How a caller stands to one limit. */
export interface Standing {
  /** The name of the limit, of ASCII letters. */
  readonly policy: string;
  /** Hits allowed in a window. */
  readonly quota: number;
  /** Length of the window in seconds. */
  readonly window: number;
  /** Hits left. */
  readonly left: number;
  /** Seconds for which there are no more than those. */
  readonly seconds: number;
}

/** RateLimit-Policy and RateLimit: lists of strings with parameters (RFC 9651). */
export function limitHeaders(standings: readonly Standing[]): Record<string, string> {
  const policies = standings.map(({ policy, quota, window }) =>
    `"${policy}";q=${quota};w=${window}`
  );
  const limits = standings.map(({ policy, left, seconds }) => `"${policy}";r=${left};t=${seconds}`);
  return { "ratelimit-policy": policies.join(", "), "ratelimit": limits.join(", ") };
}

/** 429. @param message @default that of the code */
export function limited(standing: Omit<Standing, "left">, message?: string): ApiError {
  const headers = limitHeaders([{ ...standing, left: 0 }]);
  return new ApiError("RATE_LIMITED", message, {
    headers: { "retry-after": String(standing.seconds), ...headers },
  });
}
