// A form that nothing was changed in shows what others save.
import { useEffect } from "preact/hooks";
import type { Versioned, VersionedForm } from "../../parts/conflict.tsx";

export function useFollow<R, V extends object>(
  record: Versioned<R>,
  { form, follow }: Pick<VersionedForm<V, R>, "form" | "follow">,
): void {
  useEffect(() => {
    if (!form.dirty.peek() && !form.busy.peek()) follow(record);
  }, [record.etag]);
}
