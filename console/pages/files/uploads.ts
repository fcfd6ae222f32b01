// Files on their way to the server: a few at a time, each with its progress; cancelled, tried again, and asked about where
// a file of the same name is there already. The folders that they were chosen with are made on the way.
import type { ReadonlySignal } from "@preact/signals";
import type { Chosen } from "./chosen.ts";
import { type Decision, isCutOff, isOver, type Upload } from "./upload.ts";
import { type Aim, createUploadList } from "./upload_list.ts";
import { createNaming } from "./upload_naming.ts";
import { createSender } from "./upload_sender.ts";
import type { UploadTarget } from "./upload_target.ts";

export interface Uploads {
  readonly items: ReadonlySignal<readonly Upload[]>;
  add(chosen: readonly Chosen[], to: Aim): void;
  cancel(id: number): void;
  cancelAll(): void;
  retry(id: number): void;
  decide(id: number, decision: Decision): void;
  /** Decides about all that are not over, also those that are not asked about yet. */
  decideAll(decision: Decision): void;
  /** Tries again what did not arrive because the network was away. */
  resume(): void;
  /** Takes away what is over. */
  clear(): void;
  /** Ends everything: somebody else is signed in. */
  end(): void;
}

export function createUploads(target: UploadTarget): Uploads {
  const list = createUploadList();
  const sender = createSender(list, target, (id) => {
    const decision = list.one(id)?.decision;
    if (decision) decide(id, decision);
  });
  const naming = createNaming(list, target, sender.next);

  function cancel(id: number): void {
    sender.cancel(id);
    naming.cancel(id);
    const item = list.one(id);
    if (item && !isOver(item)) list.put(id, { state: "cancelled" });
  }

  function decide(id: number, decision: Decision): void {
    const item = list.one(id);
    if (item?.state !== "asking") return;
    if (decision === "skip") return list.put(id, { state: "skipped" });
    if (decision === "both") return void naming.keepBoth(item);
    list.put(id, { state: "waiting", fileId: item.existing! });
    sender.next();
  }

  return {
    items: list.items,
    add(chosen, to) {
      list.add(chosen, to);
      sender.next();
    },
    cancel,
    cancelAll() {
      // The waiting ones first: they must not take the places of those that end.
      const left = list.items.peek().filter((item) => !isOver(item));
      for (const { id, state } of left) if (state === "waiting") cancel(id);
      for (const { id } of left) cancel(id);
    },
    retry(id) {
      list.restart(id);
      sender.next();
    },
    decide,
    decideAll(decision) {
      for (const { id, state } of list.items.peek()) {
        if (state === "waiting" || state === "looking") list.put(id, { decision });
        else decide(id, decision);
      }
    },
    resume() {
      for (const item of list.items.peek()) if (isCutOff(item)) list.restart(item.id);
      sender.next();
    },
    clear: list.clear,
    end() {
      list.empty();
      target.folders.forget();
      sender.end();
      naming.end();
    },
  };
}
