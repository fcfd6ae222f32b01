// The form of a record that others may change meanwhile: it saves against the version that it began with, and where that
// is no longer the latest, whoever fills it in decides.
import { type Signal, signal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { ConflictError } from "../../client/mod.ts";
import { type FormState, useForm } from "./use_form.ts";

/** A record as `versioned()` of the client reads it. */
export interface Versioned<R> {
  readonly data: R;
  readonly etag: string;
}

export interface VersionedFormOptions<R, V extends object> {
  /** As it was read for the form. */
  record: Versioned<R>;
  valuesOf: (record: R) => V;
  /** @param record What the values differ from. @throws {ConflictError} where the version is no longer the latest */
  save: (values: V, etag: string, record: R) => Promise<unknown>;
  /** The record as it is now. */
  read: () => Promise<Versioned<R>>;
  check?: (values: V) => Partial<Record<keyof V, string | undefined>>;
}

/** What two people want of the same record. */
export interface Conflict<V> {
  readonly mine: V;
  readonly theirs: V;
}

export interface VersionedForm<V extends object, R = unknown> {
  readonly form: FormState<V>;
  /** Null as long as nobody else was faster. */
  readonly conflict: Signal<Conflict<V> | null>;
  /** Saves one's own over theirs. */
  keepMine(): Promise<boolean>;
  /** Gives up one's own: the form shows theirs. */
  takeTheirs(): void;
  /** Back to the form with one's own, which is saved over theirs then. */
  goOn(): void;
  /** Begins anew with the record as it is now. */
  follow(record: Versioned<R>): void;
}

export function useVersionedForm<R, V extends object>(
  options: VersionedFormOptions<R, V>,
): VersionedForm<V, R> {
  const { check } = options;
  const latest = useRef(options);
  latest.current = options;
  const base = useRef(options.record);
  const conflict = useMemo(() => signal<Conflict<V> | null>(null), []);

  const form: FormState<V> = useForm<V>({
    initial: options.valuesOf(options.record.data),
    check,
    async submit(values) {
      const { save, read, valuesOf } = latest.current;
      try {
        await save(values, base.current.etag, base.current.data);
      } catch (error) {
        if (error instanceof ConflictError) {
          base.current = await read();
          conflict.value = { mine: values, theirs: valuesOf(base.current.data) };
        }
        throw error;
      }
    },
    onError: (error) => error instanceof ConflictError,
  });

  return {
    form,
    conflict,
    keepMine() {
      conflict.value = null;
      return form.submit();
    },
    takeTheirs() {
      form.reset(conflict.peek()!.theirs);
      conflict.value = null;
    },
    goOn() {
      conflict.value = null;
    },
    follow(record) {
      base.current = record;
      form.reset(latest.current.valuesOf(record.data));
    },
  };
}
