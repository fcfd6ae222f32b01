// What of the server's state should be looked at.
import type { SystemHealth } from "../../../client/mod.ts";
import { number } from "../../state/format.ts";
import { texts } from "./texts.ts";

/** How much later than its time a backup may be before it is missed. */
const LATE = 1.5;

export function problemsOf(health: SystemHealth): string[] {
  const said = texts().problems;
  const { store, mails, backups, jobs, time } = health;
  const { newest, every } = backups;
  const age = newest ? (Date.parse(time) - Date.parse(newest.at)) / 1000 : Infinity;
  return [
    store.unreadableRecords > 0 && said.unreadable(number(store.unreadableRecords)),
    !mails.configured && said.mail,
    mails.failed > 0 && said.mails(number(mails.failed)),
    newest === null && said.backup,
    newest !== null && every > 0 && age > every * LATE && said.oldBackup,
    ...jobs.filter(({ failures }) => failures > 0)
      .map(({ name, failures }) => said.job(name, number(failures))),
  ].filter((problem) => problem !== false);
}
