// What an import would do, and what is wrong with which row.
import type { ImportOutcome } from "../../client/mod.ts";
import { listed, number } from "../state/format.ts";
import { importTexts } from "./import_texts.ts";
import { Notice } from "./problem.tsx";

/** Errors that are shown, at most. */
const MOST = 200;

export interface ImportReportProps {
  readonly outcome: ImportOutcome;
  /** Whether rows may change records that are there. */
  readonly updates: boolean;
}

export function ImportReport({ outcome, updates }: ImportReportProps) {
  const said = importTexts();
  const { rows, created, updated, errors, errorCount, ignored } = outcome;
  if (rows === 0) return <Notice tone="warning">{said.nothing}</Notice>;
  return (
    <div class="stack">
      <dl class="import-figures">
        <div>
          <dt>{said.created}</dt>
          <dd class="number">{number(created)}</dd>
        </div>
        {updates && (
          <div>
            <dt>{said.updated}</dt>
            <dd class="number">{number(updated)}</dd>
          </div>
        )}
        <div data-wrong={errorCount > 0}>
          <dt>{said.wrong}</dt>
          <dd class="number">{number(errorCount)}</dd>
        </div>
      </dl>
      {ignored.length > 0 && <Notice>{said.ignored(listed(ignored))}</Notice>}
      {errorCount === 0 ? <Notice tone="success">{said.fine}</Notice> : (
        <>
          <Notice tone="warning" title={said.errors}>{said.errorsText}</Notice>
          <div class="import-errors" tabIndex={0} role="region" aria-label={said.errors}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{said.row}</th>
                  <th scope="col">{said.field}</th>
                  <th scope="col">{said.problem}</th>
                </tr>
              </thead>
              <tbody>
                {errors.slice(0, MOST).map(({ row, field, message }, at) => (
                  <tr key={at}>
                    <td class="number">{number(row)}</td>
                    <td>
                      <code>{field}</code>
                    </td>
                    <td>{message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {errorCount > MOST && <p class="muted">{said.more(number(errorCount - MOST))}</p>}
          </div>
        </>
      )}
    </div>
  );
}
