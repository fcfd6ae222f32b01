// Fields for text: a line, several, a password.
import type { InputHTMLAttributes, Ref, TextareaHTMLAttributes } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { classes } from "./classes.ts";
import { Field, type FieldCommon, parted } from "./field_frame.tsx";
import { IconButton } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { passwordStrength } from "./password_strength.ts";
import { texts } from "./texts.ts";

/** A value that a field shows and reports. */
export interface Valued<T> {
  value: T;
  onChange: (value: T) => void;
}

type Own = keyof FieldCommon | "value" | "onChange" | "ref" | "icon" | "size" | "label" | "class";

export interface TextFieldProps
  extends FieldCommon, Valued<string>, Omit<InputHTMLAttributes<HTMLInputElement>, Own> {
  icon?: IconName;
  /** For what is typed from left to right in every language: addresses, codes, paths. */
  technical?: boolean;
  ref?: Ref<HTMLInputElement>;
}

export function TextField(
  {
    value,
    onChange,
    icon,
    technical,
    ref,
    ...rest
  }: TextFieldProps,
) {
  const { frame, passed } = parted(rest);
  return (
    <Field {...frame}>
      {(control) => (
        <span class="input-frame">
          {icon && <Icon name={icon} class="input-icon" />}
          <input
            type="text"
            dir={technical ? "ltr" : undefined}
            {...passed as object}
            {...control}
            ref={ref}
            class={classes("input", technical && "input-technical", icon && "input-with-icon")}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        </span>
      )}
    </Field>
  );
}

export interface TextAreaProps
  extends FieldCommon, Valued<string>, Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, Own> {
  /** Lines that it shows empty; it grows with its text. @default 3 */
  rows?: number;
  /** Lines up to which it grows. @default 16 */
  maxRows?: number;
  technical?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

export function TextArea(
  {
    value,
    onChange,
    rows = 3,
    maxRows = 16,
    technical,
    ref,
    ...rest
  }: TextAreaProps,
) {
  const { frame, passed } = parted(rest);
  const own = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const fit = () => {
      const area = own.current;
      if (!area) return false;
      area.style.blockSize = "auto";
      if (area.scrollHeight === 0) return false;
      area.style.blockSize = `${area.scrollHeight + 2}px`;
      return true;
    };
    // A dialog around it is shown at the end of this drawing: until then it has no height.
    if (!fit()) queueMicrotask(fit);
  }, [value]);
  return (
    <Field {...frame}>
      {(control) => (
        <textarea
          dir={technical ? "ltr" : undefined}
          {...passed}
          {...control}
          ref={(element) => {
            own.current = element;
            if (typeof ref === "function") ref(element);
            else if (ref) ref.current = element;
          }}
          class={classes("input input-area", technical && "input-technical")}
          rows={rows}
          style={{ maxBlockSize: `${maxRows * 1.45}em` }}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface PasswordFieldProps extends Omit<TextFieldProps, "type" | "icon" | "technical"> {
  /** For a new password: shows how hard it is to guess. */
  isNew?: boolean;
  /** Characters that a new password needs. @default 8 */
  least?: number;
}

export function PasswordField(
  {
    value,
    onChange,
    isNew,
    least = 8,
    ref,
    ...rest
  }: PasswordFieldProps,
) {
  const { frame, passed } = parted(rest);
  const [shown, setShown] = useState(false);
  const strength = isNew && value ? passwordStrength(value, least) : null;
  const hint = frame.hint ?? (isNew ? texts().longer(least) : undefined);
  return (
    <Field {...frame} hint={hint}>
      {(control) => (
        <>
          <span class="input-frame">
            <input
              autocomplete={isNew ? "new-password" : "current-password"}
              spellcheck={false}
              autocapitalize="none"
              dir="ltr"
              {...passed as object}
              {...control}
              type={(shown ? "text" : "password") as "text"}
              ref={ref}
              class="input input-with-button"
              value={value}
              onInput={(event) => onChange(event.currentTarget.value)}
            />
            <IconButton
              class="input-button"
              size="s"
              icon={shown ? "eye-off" : "eye"}
              label={shown ? texts().hide : texts().show}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
            />
          </span>
          {isNew && (
            <span class={`strength strength-${strength ?? "none"}`}>
              <span class="strength-bars" aria-hidden="true">
                <i />
                <i />
                <i />
                <i />
              </span>
              <span class="strength-text" role="status">
                {strength === null ? "" : texts().strength[strength]}
              </span>
            </span>
          )}
        </>
      )}
    </Field>
  );
}
