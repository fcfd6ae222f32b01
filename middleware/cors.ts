// Cross-origin requests (Fetch standard): any origin without credentials, or the configured ones with them.

export interface CorsOptions {
  /** Null allows any origin, without credentials. @default null */
  readonly origins?: readonly string[] | null;
  /** How long a browser may remember a preflight, in seconds. @default 86400 */
  readonly maxAge?: number;
}

const EXPOSED =
  "ETag, Link, Location, Allow, X-Total-Count, Content-Disposition, Content-Range, X-Request-Id, X-Journal-Position, " +
  "Retry-After, RateLimit-Policy, RateLimit, Idempotency-Replayed, Preference-Applied";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const DEFAULT_HEADERS =
  "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, Range, X-Request-Id";

/**
 * Adds the headers that the origin asks for, and answers preflights.
 *
 * @returns For a request and the headers of its answer: the answer to a preflight, else null.
 */
export function cors(
  options: CorsOptions = {},
): (request: Request, headers: Record<string, string>) => Response | null {
  const { origins = null, maxAge = 86_400 } = options;
  return function corsMiddleware(request, headers) {
    const origin = request.headers.get("origin");
    if (origin === null) return null;

    if (origins === null) {
      headers["access-control-allow-origin"] = "*";
    } else {
      headers["vary"] = "Origin";
      if (origins.includes(origin)) {
        headers["access-control-allow-origin"] = origin;
        headers["access-control-allow-credentials"] = "true";
      }
    }
    if (request.method !== "OPTIONS" || !request.headers.has("access-control-request-method")) {
      headers["access-control-expose-headers"] = EXPOSED;
      return null;
    }
    return new Response(null, {
      status: 204,
      headers: {
        ...headers,
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": request.headers.get("access-control-request-headers") ??
          DEFAULT_HEADERS,
        "access-control-max-age": String(maxAge),
      },
    });
  };
}
