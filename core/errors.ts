// The one error that handlers throw, and the one table from its code to an HTTP status.

/** Code → status and default message. Feeds the answers and the OpenAPI document. */
export const errorTable = {
  VALIDATION_ERROR: { status: 400, message: "The request is not valid" },
  UNAUTHORIZED: {
    status: 401,
    message: "Sign in first: the access token is missing, invalid or expired",
  },
  FORBIDDEN: { status: 403, message: "You do not have the permission for this" },
  STEP_UP_REQUIRED: {
    status: 403,
    message: "Prove first who you are: give your password or a code to POST /auth/step-up",
  },
  MFA_REQUIRED: {
    status: 403,
    message: "Your role asks for a second factor: set one up first, or sign in with it",
  },
  NOT_FOUND: { status: 404, message: "There is no such resource" },
  METHOD_NOT_ALLOWED: { status: 405, message: "This path does not take this method" },
  REQUEST_TIMEOUT: { status: 408, message: "The request body took too long to arrive" },
  CONFLICT: { status: 409, message: "The request conflicts with what is stored" },
  PRECONDITION_FAILED: { status: 412, message: "The record has changed since you read it" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "This content type is not accepted" },
  RANGE_NOT_SATISFIABLE: { status: 416, message: "The range is outside the file" },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "This Idempotency-Key was used for a different request",
  },
  RATE_LIMITED: { status: 429, message: "Too many requests: try again later" },
  INTERNAL_ERROR: { status: 500, message: "Something went wrong on the server" },
  STORAGE_FULL: {
    status: 507,
    message: "The disk of the data store is full: nothing can be written until there is room",
  },
  UNAVAILABLE: { status: 503, message: "The data store cannot be reached: try again shortly" },
} as const;

export type ErrorCode = keyof typeof errorTable;

/** What is wrong with one field; `field` is a dotted path such as `members.0.role`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  /** What kind of problem it is, for programs. @default that of the message, in http/texts */
  readonly code?: string;
}

interface ErrorOptions {
  readonly details?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Top-level fields beside the error. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** `error` is the message alone, where the contract wants plain text. @default false */
  readonly plain?: boolean;
  /** Logged, never sent. */
  readonly cause?: unknown;
}

/** An error with an answer: thrown anywhere below a route, turned into a response in one place. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly details: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly plain: boolean;

  constructor(readonly code: ErrorCode, message?: string, options: ErrorOptions = {}) {
    super(message ?? errorTable[code].message, { cause: options.cause });
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.fields = options.fields ?? {};
    this.plain = options.plain ?? false;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** 400 that names each field; the message tells the first. */
export function invalidFields(details: readonly FieldError[]): ApiError {
  const { field, message } = details[0]!;
  return new ApiError("VALIDATION_ERROR", `Cannot accept the request: ${field}: ${message}`, {
    details,
  });
}

/** What is said of a field, as schemas say it, and no sentence: alone it would not tell of which. */
const PREDICATE = /^[a-z]/;

/** 400 for one field. @param message A sentence, or what is said of the field: "is required". */
export function invalid(field: string, message: string): ApiError {
  if (PREDICATE.test(message)) return invalidFields([{ field, message }]);
  return new ApiError("VALIDATION_ERROR", message, { details: [{ field, message }] });
}

/**
 * 404 for a record that is not there, or that the caller may not see: the answers are the same.
 *
 * @param what The kind of record, in the singular: "document".
 */
export function notFound(what: string): ApiError {
  return new ApiError("NOT_FOUND", `There is no such ${what}`);
}

/**
 * A record that was looked up, where there has to be one.
 *
 * @param what The kind of record, in the singular: "document".
 * @throws {ApiError} NOT_FOUND
 */
export function existing<T>(record: T | null | undefined, what: string): T {
  if (record === null || record === undefined) throw notFound(what);
  return record;
}

/** 404 for a path that nothing is served at. */
export function notFoundHere(): ApiError {
  return new ApiError("NOT_FOUND", "There is nothing at this path");
}

/** 409. */
export function conflict(message: string): ApiError {
  return new ApiError("CONFLICT", message);
}

/** 403. */
export function forbidden(message?: string): ApiError {
  return new ApiError("FORBIDDEN", message);
}

/**
 * 403 for want of a permission, which `details` name.
 *
 * @param permissions Of several, any one would do.
 */
export function lacking(permissions: readonly string[], message?: string): ApiError {
  const details = permissions.map((one) => ({
    field: "permission",
    message: one,
    code: "missing_permission",
  }));
  return new ApiError("FORBIDDEN", message, { details });
}
