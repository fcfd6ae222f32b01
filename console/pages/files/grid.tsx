// Files as pictures beside each other.
import type { ComponentChildren } from "preact";
import type { Signal } from "@preact/signals";
import { CheckBox } from "../../parts/field.tsx";
import { classes } from "../../parts/classes.ts";
import { type Action, Menu } from "../../parts/menu.tsx";
import { Problem } from "../../parts/problem.tsx";
import { BulkBar } from "../../parts/bulk_bar.tsx";
import { NOTHING, type Selection, toggle } from "../../parts/selection.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { texts as common } from "../../parts/texts.ts";
import { fileSize, number } from "../../state/format.ts";
import { Icon } from "../../parts/icon.tsx";
import type { FileRow } from "./columns.tsx";
import { texts } from "./texts.ts";
import { Thumbnail } from "./thumbnail.tsx";

interface GridProps {
  rows: readonly FileRow[] | undefined;
  loading: boolean;
  error: unknown;
  retry: () => unknown;
  selection: Signal<Selection>;
  actionsOf: (file: FileRow) => readonly Action[];
  bulkActions: (ids: readonly string[]) => readonly Action[];
  empty: ComponentChildren;
  footer: ComponentChildren;
}

/** Cards that stand for those that are being read. */
const BONES = 10;

export function FileGrid(
  { rows, loading, error, retry, selection, actionsOf, bulkActions, empty, footer }: GridProps,
) {
  const chosen = selection.value;
  const said = common().table;
  return (
    <div class="file-grid-frame">
      {error !== undefined && <Problem error={error} retry={retry} busy={loading} />}
      {!rows && error === undefined && (
        <div class="file-grid">
          {Array.from({ length: BONES }, (_, index) => <Skeleton key={index} block="11.5rem" />)}
        </div>
      )}
      {rows?.length === 0 && !loading && empty}
      {rows && rows.length > 0 && (
        <ul
          class={classes("file-grid", loading && "table-dimmed")}
          aria-label={texts().title}
          aria-busy={loading ? "true" : undefined}
        >
          {rows.map((file) => (
            <li key={file.id} class={classes("file-card", chosen.has(file.id) && "file-chosen")}>
              <a class="file-card-link" href={`/files/${file.id}`}>
                <Thumbnail file={file} size="256" />
                <span class="file-card-words">
                  <span class="strong cut">{file.name}</span>
                  <span class="muted small number">{fileSize(file.size)}</span>
                </span>
              </a>
              {file.isFavorite && (
                <span class="file-star" title={texts().fields.favorite}>
                  <Icon name="star" size={14} />
                </span>
              )}
              <span class="file-card-check">
                <CheckBox
                  label={said.select(file.name)}
                  value={chosen.has(file.id)}
                  onChange={() =>
                    selection.value = toggle(chosen, file.id)}
                />
              </span>
              <span class="file-card-menu">
                <Menu
                  label={said.actionsFor(file.name)}
                  icon="more"
                  iconOnly
                  align="end"
                  button={{ size: "s" }}
                  items={actionsOf(file)}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      <div class="table-foot">{footer}</div>
      {chosen.size > 0 && (
        <BulkBar
          text={said.selected(number(chosen.size))}
          actions={bulkActions([...chosen])}
          onClear={() => selection.value = NOTHING}
        />
      )}
    </div>
  );
}
