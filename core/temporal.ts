// Temporal, the calendar of ECMAScript: the runtime's own where it has one, else a polyfill (Deno before 2.7).
const native = (globalThis as { Temporal?: typeof globalThis.Temporal }).Temporal;

/** https://tc39.es/proposal-temporal/docs/ */
export const Temporal: typeof globalThis.Temporal = native ??
  (await import("temporal-polyfill")).Temporal as unknown as typeof globalThis.Temporal;
