// The messages of KV Connect's data path, as they travel: https://github.com/denoland/denokv/tree/main/proto
import protobuf from "protobufjs";

/** https://github.com/denoland/denokv/blob/main/proto/schema/datapath.proto */
export const MUTATION = {
  set: 1,
  delete: 2,
  sum: 3,
  max: 4,
  min: 5,
  setVersionstamped: 9,
} as const;
export const ENCODING = { v8: 1, le64: 2, bytes: 3 } as const;
export const READ = { success: 1, disabled: 2 } as const;
export const WRITE = { success: 1, checkFailure: 2, disabled: 5 } as const;

/** The fields of each message: "type name" under its number; a star after the type: repeated. */
const FIELDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  SnapshotRead: { 1: "ReadRange* ranges" },
  ReadRange: { 1: "bytes start", 2: "bytes end", 3: "int32 limit", 4: "bool reverse" },
  SnapshotReadOutput: {
    1: "ReadRangeOutput* ranges",
    2: "bool readDisabled",
    4: "bool readIsStronglyConsistent",
    8: "int32 status",
  },
  ReadRangeOutput: { 1: "KvEntry* values" },
  KvEntry: { 1: "bytes key", 2: "bytes value", 3: "int32 encoding", 4: "bytes versionstamp" },
  AtomicWrite: { 1: "Check* checks", 2: "Mutation* mutations" },
  Check: { 1: "bytes key", 2: "bytes versionstamp" },
  Mutation: { 1: "bytes key", 2: "KvValue value", 3: "int32 type", 4: "int64 expireAt" },
  KvValue: { 1: "bytes data", 2: "int32 encoding" },
  AtomicWriteOutput: { 1: "int32 status", 2: "bytes versionstamp", 4: "uint32* failedChecks" },
  Watch: { 1: "WatchKey* keys" },
  WatchKey: { 1: "bytes key" },
  WatchOutput: { 1: "int32 status", 2: "WatchKeyOutput* keys" },
  WatchKeyOutput: { 1: "bool changed", 2: "KvEntry entryIfChanged" },
};

export interface ReadRange {
  readonly start: Uint8Array;
  /** The first key that is not read. */
  readonly end: Uint8Array;
  readonly limit: number;
  readonly reverse: boolean;
}

export interface KvEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly encoding: number;
  readonly versionstamp: Uint8Array;
}

export interface Check {
  readonly key: Uint8Array;
  /** Ten bytes; none: there is no such key. */
  readonly versionstamp: Uint8Array;
}

export interface Mutation {
  readonly key: Uint8Array;
  readonly value: { readonly data: Uint8Array; readonly encoding: number } | null;
  readonly type: number;
  /** Milliseconds since the epoch; 0: never. */
  readonly expireAt: number;
}

interface Requests {
  readonly SnapshotRead: { readonly ranges: readonly ReadRange[] };
  readonly AtomicWrite: {
    readonly checks: readonly Check[];
    readonly mutations: readonly Mutation[];
  };
  readonly Watch: { readonly keys: readonly { readonly key: Uint8Array }[] };
}

interface Answers {
  readonly SnapshotReadOutput: {
    readonly ranges?: readonly { readonly values: readonly KvEntry[] }[];
    readonly readDisabled?: boolean;
    readonly readIsStronglyConsistent?: boolean;
    readonly status: number;
  };
  readonly AtomicWriteOutput: {
    readonly status: number;
    readonly versionstamp?: Uint8Array;
    readonly failedChecks?: readonly number[];
  };
  readonly WatchOutput: {
    readonly status: number;
    readonly keys?: readonly { readonly changed: boolean; readonly entryIfChanged?: KvEntry }[];
  };
}

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(FIELDS).map(([message, fields]) => [message, {
      fields: Object.fromEntries(
        Object.entries(fields).map(([id, field]) => {
          const [, type = "", star, name = ""] = /^(\w+)(\*?) (\w+)$/.exec(field)!;
          return [name, { id: Number(id), type, ...(star ? { rule: "repeated" } : {}) }];
        }),
      ),
    }]),
  ),
});

/** @throws The bytes are no such message. */
export function decode<K extends keyof Requests>(message: K, bytes: Uint8Array): Requests[K] {
  const type = root.lookupType(message);
  const options = { longs: Number, defaults: true, arrays: true } as const;
  return type.toObject(type.decode(bytes), options) as Requests[K];
}

export function encode<K extends keyof Answers>(message: K, answer: Answers[K]): Uint8Array {
  return root.lookupType(message).encode(answer as Record<string, unknown>).finish();
}
