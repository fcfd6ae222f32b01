// The state of a form: values, what is wrong with them, whether it is being sent.
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { toast } from "../state/toasts.ts";
import { type FormErrors, formErrors, NO_ERRORS } from "./form_errors.ts";
import { texts } from "./texts.ts";

export interface FormOptions<V extends object> {
  initial: V;
  /** Sends the values. What it throws is shown: at the fields that an `ApiError` names, else above the form. */
  submit: (values: V) => unknown;
  /** What the form itself knows to be wrong, by field; nothing is sent then. */
  check?: (values: V) => Partial<Record<keyof V, string | undefined>>;
  /** Takes an error that the form is not to show, such as a conflict. @returns Whether it took it. */
  onError?: (error: unknown) => boolean;
}

/** What a field is given: `<TextField label="…" {...form.field("title")} />`. */
export interface Bound<T> {
  name: string;
  value: T;
  onChange: (value: T) => void;
  error: string | undefined;
}

export interface FormState<V extends object> {
  readonly values: { readonly [K in keyof V]: Signal<V[K]> };
  readonly errors: Signal<FormErrors>;
  readonly busy: Signal<boolean>;
  /** Whether something differs from how it began. */
  readonly dirty: ReadonlySignal<boolean>;
  field<K extends keyof V & string>(name: K): Bound<V[K]>;
  /** All values at once. */
  get(): V;
  set(change: Partial<V>): void;
  /** Back to how it began, or to what it begins with from now on. */
  reset(initial?: V): void;
  /** @returns Whether it worked. */
  submit(): Promise<boolean>;
}

/** Tells values apart; lists and objects by what is in them. */
const same = (one: unknown, other: unknown) =>
  Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);

export function createForm<V extends object>(options: () => FormOptions<V>): FormState<V> {
  const first = options().initial;
  const names = Object.keys(first) as (keyof V & string)[];
  const values = Object.fromEntries(names.map((name) => [name, signal(first[name])])) as {
    [K in keyof V]: Signal<V[K]>;
  };
  const start = signal(first);
  const errors = signal<FormErrors>(NO_ERRORS);
  const busy = signal(false);
  const get = () => Object.fromEntries(names.map((name) => [name, values[name].peek()])) as V;

  function put<K extends keyof V & string>(name: K, value: V[K]): void {
    batch(() => {
      values[name].value = value;
      const { [name]: wrong, ...fields } = errors.peek().fields;
      // What was wrong with the old value says nothing about the new one.
      if (wrong !== undefined) errors.value = { ...errors.peek(), fields };
    });
  }

  return {
    values,
    errors,
    busy,
    dirty: computed(() => names.some((name) => !same(values[name].value, start.value[name]))),
    field: (name) => ({
      name,
      value: values[name].value,
      error: errors.value.fields[name],
      onChange: (value) => put(name, value),
    }),
    get,
    set(change) {
      batch(() => {
        for (const name of names) {
          if (Object.hasOwn(change, name)) put(name, change[name] as V[typeof name]);
        }
      });
    },
    reset(initial = start.peek()) {
      batch(() => {
        start.value = initial;
        for (const name of names) values[name].value = initial[name];
        errors.value = NO_ERRORS;
      });
    },
    async submit() {
      if (busy.peek()) return false;
      const { submit, check, onError } = options();
      const sent = get();
      const wrong = Object.entries(check?.(sent) ?? {}).filter(([, message]) => message);
      if (wrong.length > 0) {
        errors.value = {
          fields: Object.fromEntries(wrong) as Record<string, string>,
          summary: null,
        };
        return false;
      }
      batch(() => {
        busy.value = true;
        errors.value = NO_ERRORS;
      });
      try {
        await submit(sent);
        return true;
      } catch (error) {
        if (!onError?.(error)) errors.value = formErrors(error, names);
        return false;
      } finally {
        busy.value = false;
      }
    },
  };
}

/** The form of a component; its options may change with it, but for what it begins with. */
export function useForm<V extends object>(options: FormOptions<V>): FormState<V> {
  const latest = useRef(options);
  latest.current = options;
  const gone = useRef(false);
  useEffect(() => () => void (gone.current = true), []);
  const onError = (error: unknown) =>
    gone.current ? tell(error) : latest.current.onError?.(error) ?? false;
  return useMemo(() => createForm(() => ({ ...latest.current, onError })), []);
}

/** Whoever has closed a form while it was sent takes it for saved. */
function tell(error: unknown): true {
  const { summary } = formErrors(error, []);
  toast({ kind: "error", text: `${texts().formProblem}: ${summary}` });
  return true;
}
