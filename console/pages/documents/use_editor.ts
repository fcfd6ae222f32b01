// The text of a document while it is written: what it began with, what others make of it meanwhile, and where it is kept
// until it is saved.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  ApiError,
  ConflictError,
  type Document,
  updateDocument,
  versioned,
} from "../../../client/mod.ts";
import { useVersionedForm, type Versioned, type VersionedForm } from "../../parts/conflict.tsx";
import { queries, refresh } from "../../state/query.ts";
import { user } from "../../state/session.ts";
import { documentTexts } from "./document_texts.ts";
import { type Draft, keepDraft, readDraft } from "./draft.ts";
import { documentKey, readDocument } from "./read.ts";
import { type Base, taken } from "./taking.ts";

/** Milliseconds of rest after which the text is saved by itself: each saving makes a revision. */
const AUTOSAVE = 10_000;
/** Milliseconds of rest after which what is not saved is kept in the tab. */
const KEEP = 300;
/** Milliseconds between two tries while the server is away. */
const RETRY = 5000;

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
  // As it began: when the session has ended, what was typed is still to be kept for its author.
  const authorId = useMemo(() => user.peek()!.id, []);
  const draft = useMemo(() => readDraft(sessionStorage, authorId, id), []);
  const first = draft
    ? { data: { ...record.data, content: draft.base }, etag: draft.etag }
    : record;
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

  /** Goes on from a newer version; what was typed after the text was sent stays. */
  function follow(newer: Versioned<Document>, { sent }: { readonly sent: string }) {
    const typed = form.get().content;
    edited.follow(newer);
    if (typed !== sent) form.set({ content: typed });
    base.current = baseOf(newer);
    setStale(false);
    setWaiting(false);
    setRestored(false);
  }

  useEffect(() => {
    if (busy) return;
    const typed = form.get().content;
    const mine = taken(base.current, typed, baseOf(record));
    if (mine === "older") return;
    if (mine === "conflict") return setStale(true);
    edited.follow(record);
    form.set({ content: mine.content });
    base.current = baseOf(record);
    setStale(false);
  }, [record.etag, busy]);

  // What came back begins with the version that it was written on.
  useEffect(() => {
    if (draft) form.set({ content: draft.content });
  }, []);

  useKept({ authorId, id }, () => {
    const { etag, content: before } = base.current;
    const typed = form.get().content;
    return typed === before ? null : { etag, base: before, content: typed };
  }, content);

  useEffect(() => {
    if (!autosave || !dirty || stale || busy || waiting) return;
    const timer = setTimeout(() => void form.submit(), AUTOSAVE);
    return () => clearTimeout(timer);
  }, [autosave, content, dirty, stale, busy, waiting]);

  useEffect(() => {
    if (!waiting || !dirty) return;
    const again = () => void form.submit();
    const timer = setInterval(again, RETRY);
    addEventListener("online", again);
    return () => {
      clearInterval(timer);
      removeEventListener("online", again);
    };
  }, [waiting, dirty]);

  return {
    edited,
    stale,
    restored: restored && dirty,
    discard() {
      edited.follow(record);
      base.current = baseOf(record);
      setStale(false);
      setRestored(false);
    },
  };
}

function baseOf({ data, etag }: Versioned<Document>): Base {
  return { etag, content: data.content, updatedAt: data.updatedAt };
}

/**
 * Saves the text over the version that it began with, or over a newer one whose text is the same: then somebody has changed
 * the title, the tags or the shares.
 *
 * @throws {ConflictError} where the text is another
 */
async function store(
  id: string,
  content: string,
  { etag, base }: { readonly etag: string; readonly base: Base },
): Promise<Versioned<Document>> {
  try {
    return await put(id, content, etag);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const now = await readDocument(id);
    if (now.data.content === content) return now;
    if (now.data.content !== base.content) throw error;
    return await put(id, content, now.etag);
  }
}

async function put(id: string, content: string, etag: string): Promise<Versioned<Document>> {
  const answer = await versioned(updateDocument({
    path: { id },
    body: { content },
    headers: { "If-Match": etag },
    responseStyle: "fields",
  }));
  return { data: answer.data as unknown as Document, etag: answer.etag };
}

/** Keeps in the tab what is not saved. */
function useKept(
  { authorId, id }: { readonly authorId: string; readonly id: string },
  draftOf: () => Draft | null,
  content: string,
): void {
  const latest = useRef(draftOf);
  latest.current = draftOf;
  const keep = () => keepDraft(sessionStorage, authorId, id, latest.current());
  useEffect(() => {
    const timer = setTimeout(keep, KEEP);
    return () => clearTimeout(timer);
  }, [content]);
  useEffect(() => {
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, []);
}
