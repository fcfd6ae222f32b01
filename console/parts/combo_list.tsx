// The options of a combobox, as they float under it.
import type { ComponentChildren } from "preact";
import type { Choice } from "./choice_fields.tsx";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { texts } from "./texts.ts";
import type { Combo } from "./use_combobox.ts";

interface ComboListProps<O extends Choice> {
  combo: Combo<O>;
  /** Of the field that the list belongs to. */
  id: string;
  label: string;
  /** What is chosen. */
  value: readonly O[];
  multiple: boolean | undefined;
  mark: ((option: O) => ComponentChildren) | undefined;
}

export function ComboList<O extends Choice>(
  { combo, id, label, value, multiple, mark }: ComboListProps<O>,
) {
  const { open, options, active } = combo;
  const chosen = new Set(value.map((option) => option.value));
  return (
    <div
      ref={combo.panel}
      popover="manual"
      class="float combo-list"
      // Keeps the focus in the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      <div
        role="listbox"
        id={`${id}-list`}
        aria-label={label}
        aria-multiselectable={multiple || undefined}
      >
        {open && options.map((option, index) => (
          <div
            key={option.value}
            id={`${id}-${index}`}
            ref={(row) => {
              if (index === active) row?.scrollIntoView({ block: "nearest" });
            }}
            role="option"
            class={classes("option", index === active && "option-active")}
            aria-selected={chosen.has(option.value)}
            aria-disabled={option.disabled}
            onMouseMove={() => combo.setActive(index)}
            onClick={() => combo.choose(option)}
          >
            {mark?.(option)}
            <span class="option-text">
              <span class="cut">{option.label}</span>
              {option.description && (
                <span class="option-description cut">{option.description}</span>
              )}
            </span>
            {chosen.has(option.value) && <Icon name="check" />}
          </div>
        ))}
      </div>
      <p class={classes("combo-note", options.length > 0 && "unseen")} role="status">
        {open ? noteOf(combo) : ""}
      </p>
    </div>
  );
}

/** What is said of the options: that they are looked for, how many there are, or why there are none. */
function noteOf<O extends Choice>(
  { loading, failed, options }: Pick<Combo<O>, "loading" | "failed" | "options">,
): string {
  if (loading) return texts().searching;
  if (failed) return failed;
  return options.length === 0 ? texts().noMatch : texts().options(options.length);
}
