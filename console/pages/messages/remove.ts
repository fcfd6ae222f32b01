// Deleting messages: one's own for everyone, those of others for oneself.
import { deleteMessage } from "../../../client/mod.ts";
import { confirm } from "../../parts/dialog.tsx";
import { refresh } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

/** Asks, and deletes. @param mine Whether one has sent them. @returns Whether they are gone. */
export async function removeMessages(ids: readonly string[], mine: boolean): Promise<boolean> {
  const said = texts();
  const question = mine
    ? { title: said.deleteForAllTitle, text: said.deleteForAllText, action: said.deleteForAll }
    : { title: said.deleteTitle, text: said.deleteText, action: said.delete };
  if (!await confirm({ ...question, danger: true })) return false;
  try {
    for (const id of ids) await deleteMessage({ path: { id } });
    toast({ text: said.deleted });
    return true;
  } catch (error) {
    toast({ kind: "error", text: (error as Error).message });
    return false;
  } finally {
    refresh("messages", "conversations");
  }
}
