// The focus in a part of a page is not lost: where what has it goes away, such as a button that is not needed any more,
// what had it before has it again.
import { useLayoutEffect, useRef } from "preact/hooks";

/** As many are remembered. */
const PAST = 20;

/** @returns What the element is given that holds the part. */
export function useKeptFocus<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const past = useRef<readonly HTMLElement[]>([]);
  // Asked before anything is drawn: what is gone afterwards went by this drawing, not because somebody left.
  const held = ref.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box || !held || document.activeElement !== document.body) return;
    const last = past.current.findLast((one) => box.contains(one) && !one.matches(":disabled"));
    (last ?? box).focus();
  });
  return {
    ref,
    tabIndex: -1,
    onFocusIn({ target }: FocusEvent) {
      const others = past.current.filter((one) => one !== target && one.isConnected);
      past.current = [...others, target as HTMLElement].slice(-PAST);
    },
  };
}
