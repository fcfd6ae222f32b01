// The text of a document while it is written: what it began with, what others make of it meanwhile, and where it is kept
// until it is saved.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, type Document } from "../../../client/mod.ts";
import { useVersionedForm, type Versioned, type VersionedForm } from "../../parts/conflict.tsx";
import { queries, refresh } from "../../state/query.ts";
import { user } from "../../state/session.ts";
import { documentTexts } from "./document_texts.ts";
import { readDraft } from "./draft.ts";
import { documentKey, readDocument } from "./read.ts";
import { store } from "./store.ts";
import { type Base, taken } from "./taking.ts";
import { useAutosave, useRetry } from "./use_autosave.ts";
import { useKeptDraft } from "./use_kept_draft.ts";

export interface Written {
  readonly content: string;
}

export interface Editor {
  readonly edited: VersionedForm<Written, Document>;
  /** Somebody else has changed the text since one's own began. */
  readonly stale: boolean;
  /** What was written before and not saved has come back. */
  readonly restored: boolean;
  /** Goes back to what is saved. */
  readonly discard: () => void;
}

interface EditorOptions {
  readonly record: Versioned<Document>;
  readonly autosave: boolean;
}

export function useEditor({ record, autosave }: EditorOptions): Editor {
  const { id } = record.data;
  const { authorId, draft, first } = useBegun(record);
  const base = useRef<Base>(baseOf(first));
  const [stale, setStale] = useState(false);
  const [restored, setRestored] = useState(draft !== null);
  const [waiting, setWaiting] = useState(false);

  const edited = useVersionedForm<Document, Written>({
    record: first,
    valuesOf: ({ content }) => ({ content }),
    async read() {
      const now = await readDocument(id);
      base.current = baseOf(now);
      setStale(false);
      return now;
    },
    async save(values, etag) {
      const saved = await store(id, values.content, { etag, base: base.current }).catch((error) => {
        const away = error instanceof ApiError && error.status === 0;
        setWaiting(away);
        throw away ? new Error(documentTexts().edit.offline) : error;
      });
      // An answer to an earlier reading must not come after this one.
      await queries.cancelQueries({ queryKey: documentKey(id) });
      queries.setQueryData(documentKey(id), saved);
      follow(saved, { sent: values.content });
      refresh("documents", "dashboard");
    },
  });
  const { form } = edited;
  const content = form.values.content.value;
  const busy = form.busy.value;
  const dirty = form.dirty.value;

  /** The text is that of a version from now on, and nothing else. */
  function begin(version: Versioned<Document>) {
    edited.follow(version);
    base.current = baseOf(version);
    setStale(false);
  }

  /** Goes on from a newer version; what was typed after the text was sent stays. */
  function follow(newer: Versioned<Document>, { sent }: { readonly sent: string }) {
    const typed = form.get().content;
    begin(newer);
    if (typed !== sent) form.set({ content: typed });
    setWaiting(false);
    setRestored(false);
  }

  useEffect(() => {
    if (busy) return;
    const typed = form.get().content;
    const mine = taken(base.current, typed, baseOf(record));
    if (mine === "older") return;
    if (mine === "conflict") return setStale(true);
    begin(record);
    form.set({ content: mine.content });
  }, [record.etag, busy]);

  // What came back begins with the version that it was written on.
  useEffect(() => {
    if (draft) form.set({ content: draft.content });
  }, []);

  useKeptDraft({ authorId, id }, () => {
    const { etag, content: before } = base.current;
    const typed = form.get().content;
    return typed === before ? null : { etag, base: before, content: typed };
  }, content);

  useAutosave(autosave && dirty && !stale && !busy && !waiting, content, form.submit);
  useRetry(waiting && dirty, form.submit);

  return {
    edited,
    stale,
    restored: restored && dirty,
    discard() {
      begin(record);
      setRestored(false);
    },
  };
}

/** What one goes on writing: what was written before and not saved, upon the version it was written on; else the document. */
function useBegun(record: Versioned<Document>) {
  const { id } = record.data;
  // As it began: when the session has ended, what was typed is still to be kept for its author.
  const authorId = useMemo(() => user.peek()!.id, []);
  const draft = useMemo(() => readDraft(sessionStorage, authorId, id), []);
  const first = draft
    ? { data: { ...record.data, content: draft.base }, etag: draft.etag }
    : record;
  return { authorId, draft, first };
}

function baseOf({ data, etag }: Versioned<Document>): Base {
  return { etag, content: data.content, updatedAt: data.updatedAt };
}
