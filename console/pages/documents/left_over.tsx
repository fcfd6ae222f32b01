// What somebody had written into a document and not saved when it went away, or might not be changed by them any more.
import { useEffect, useState } from "preact/hooks";
import { Card } from "../../parts/card.tsx";
import { CodeBlock } from "../../parts/code.tsx";
import { user } from "../../state/session.ts";
import { documentTexts } from "./document_texts.ts";
import { readDraft } from "./draft.ts";

export function LeftOver({ id }: { readonly id: string }) {
  const { leftOver, leftOverText } = documentTexts().edit;
  const [text, setText] = useState<string | null>(null);
  // Once the editor is gone: it keeps the text as it goes.
  useEffect(() => {
    setText(readDraft(sessionStorage, user.peek()!.id, id)?.content ?? null);
  }, [id]);
  return text !== null && (
    <Card title={leftOver} text={leftOverText}>
      <CodeBlock text={text} />
    </Card>
  );
}
