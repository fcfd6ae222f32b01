// What the client offers, in one place.
/**
 * The typed client of Quarterdeck's API: a function for each operation of the OpenAPI document, and what signing in,
 * uploads, events and long lists need beside it.
 *
 * @module
 */
export * from "./generated/sdk.gen.ts";
export type * from "./generated/types.gen.ts";
export { createClient } from "./generated/client/index.ts";
export type { Client } from "./generated/client/index.ts";
export { connect, type Connection, type ConnectOptions } from "./connect.ts";
export { ApiError, ConflictError, type FieldError } from "./errors.ts";
export { type EventOptions, followEvents, type RecordEvent } from "./events.ts";
export { every, type Page, versioned } from "./lists.ts";
export { Session } from "./session.ts";
export { browserStorage, memoryStorage, type Tokens, type TokenStorage } from "./token_storage.ts";
export type { Uploaded, UploadOptions } from "./upload.ts";
