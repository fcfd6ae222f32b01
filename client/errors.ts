// What a request that failed throws.

/** What is wrong with one field of a request. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  /** Stable, for messages of one's own. */
  readonly code?: string;
}

interface ErrorBody {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly details?: readonly FieldError[];
  } | string;
  readonly message?: string;
  readonly details?: readonly FieldError[];
  /** These three in problem details (RFC 9457), for requests whose `Accept` names them. */
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

/** The server's answer to a request that it did not carry out. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";

  constructor(
    message: string,
    /** Of HTTP; 0 where no answer came. */
    readonly status: number,
    /** Stable: `VALIDATION_ERROR`, `FORBIDDEN`, …; `NETWORK_ERROR` where no answer came. */
    readonly code: string,
    readonly details: readonly FieldError[] = [],
    /** Names the request in the server's log. */
    readonly requestId: string | null = null,
    /** Seconds to wait before the next try. */
    readonly retryAfter: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** What is wrong with a field, for the form that has it. */
  problemOf(field: string): string | undefined {
    return this.details.find((detail) => detail.field === field)?.message;
  }
}

/** Somebody else has changed the record since it was read: the `If-Match` of a write names an older version (412). */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}

/**
 * @param body As it was parsed, or text; where no answer came, what was thrown instead.
 */
export function errorOf(body: unknown, response: Response | undefined): ApiError {
  if (body instanceof ApiError) return body;
  if (!response) {
    if (body instanceof DOMException && body.name === "AbortError") throw body;
    const message = body instanceof Error ? body.message : "the server did not answer";
    return new ApiError(message, 0, "NETWORK_ERROR", [], null, null, { cause: body });
  }
  const { error, message, details, code, detail, errors } =
    (typeof body === "object" && body ? body : {}) as ErrorBody;
  const told = typeof error === "object" ? error : { message: error ?? detail, code };
  const Kind = response.status === 412 ? ConflictError : ApiError;
  const wait = Number(response.headers.get("retry-after") ?? NaN);
  return new Kind(
    told.message ?? message ?? `The server answered ${response.status}`,
    response.status,
    told.code ?? `HTTP_${response.status}`,
    ("details" in told ? told.details : undefined) ?? details ?? listOf(errors),
    response.headers.get("x-request-id"),
    Number.isFinite(wait) ? wait : null,
  );
}

/** Bare answers tell `errors` by field. */
function listOf(errors: unknown): readonly FieldError[] {
  return Array.isArray(errors) ? errors : [];
}
