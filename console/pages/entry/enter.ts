// The ways of signing in answer alike: with a session, or with the question for a second factor.
import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import type { Challenged } from "../../../client/mod.ts";
import { wayBack } from "../../state/reach.ts";
import { begin } from "../../state/session.ts";

/** The refresh token stays out of the reach of scripts. */
export const COOKIE = { cookie: true } as const;

/** An answer: `data` is absent in variant web, whose tokens stand beside it. */
interface Answer {
  readonly data?: unknown;
}

/** What an answer opens, wherever its variant tells it. */
export function openedBy(answer: Answer): Parameters<typeof begin>[0] | Challenged {
  return (answer.data ?? answer) as Parameters<typeof begin>[0] | Challenged;
}

export interface Entering {
  /** Set while a second factor is asked for. */
  readonly challenge: Challenged | null;
  /** Goes on with what signing in was answered with. */
  enter(answer: Answer): Promise<void>;
  /** Begins anew. */
  leave(): void;
}

/** @param back Where to go afterwards, as the address had it. */
export function useEntering(back: string | null | undefined): Entering {
  const { route } = useLocation();
  const [challenge, ask] = useState<Challenged | null>(null);
  return {
    challenge,
    async enter(answer) {
      const opened = openedBy(answer);
      if ("mfaRequired" in opened) return ask(opened);
      await begin(opened);
      route(wayBack(back), true);
    },
    leave: () => ask(null),
  };
}
