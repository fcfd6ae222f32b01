// A field for a few words.
import { useRef, useState } from "preact/hooks";
import { Chip } from "./combobox.tsx";
import { Field, type FieldCommon } from "./field_frame.tsx";
import { texts } from "./texts.ts";

export interface TagsFieldProps extends FieldCommon {
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  /** Offered while one types. */
  suggestions?: readonly string[];
  /** Tags at most. */
  most?: number;
  /** Characters of a tag at most. */
  longest?: number;
  placeholder?: string;
}

export function TagsField(
  { value, onChange, suggestions = [], most = Infinity, longest, placeholder, ...frame }:
    TagsFieldProps,
) {
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);

  const add = (text: string) => {
    const fresh = text.split(/[,，\n]/).map((tag) => tag.trim()).filter(Boolean);
    onChange([...new Set([...value, ...fresh])].slice(0, most));
    setTyped("");
  };
  return (
    <Field {...frame} hint={frame.hint ?? texts().addTag}>
      {(control) => (
        <span class="input input-frame combo" onClick={() => input.current?.focus()}>
          {value.map((tag) => (
            <Chip
              key={tag}
              label={tag}
              onRemove={() => {
                onChange(value.filter((one) => one !== tag));
                input.current?.focus();
              }}
            />
          ))}
          <input
            {...control}
            name={undefined}
            required={control.required && value.length === 0}
            ref={input}
            class="combo-input"
            list={suggestions.length > 0 ? `${control.id}-list` : undefined}
            autocomplete="off"
            maxLength={longest}
            placeholder={value.length === 0 ? placeholder : undefined}
            value={typed}
            disabled={value.length >= most && typed === ""}
            onInput={(event) => {
              const text = event.currentTarget.value;
              const chosen = suggestions.includes(text) && !value.includes(text) &&
                (event as InputEvent).inputType === "insertReplacementText";
              if (chosen || /[,，\n]/.test(text)) add(text);
              else setTyped(text);
            }}
            onBlur={() => typed.trim() && add(typed)}
            onKeyDown={(event) => {
              if (event.isComposing) return;
              if (event.key === "Enter" && typed.trim()) {
                event.preventDefault();
                add(typed);
              } else if (event.key === "Backspace" && !typed && value.length > 0) {
                onChange(value.slice(0, -1));
              }
            }}
          />
          {suggestions.length > 0 && (
            <datalist id={`${control.id}-list`}>
              {suggestions.filter((tag) => !value.includes(tag)).map((tag) => (
                <option key={tag} value={tag} />
              ))}
            </datalist>
          )}
        </span>
      )}
    </Field>
  );
}
