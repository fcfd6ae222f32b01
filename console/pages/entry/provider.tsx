// Where a provider sends the browser back to: ends a sign-in, or links the identity to the account.
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { ApiError, exchangeProviderCode, linkIdentity } from "../../../client/mod.ts";
import { Notice } from "../../parts/problem.tsx";
import { Spinner } from "../../parts/spinner.tsx";
import { type Errand, takeErrand } from "../../state/providers.ts";
import { refresh } from "../../state/query.ts";
import { user } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { EntryCard } from "../../shell/entry_card.tsx";
import { COOKIE, useEntering } from "./enter.ts";
import { SecondStep } from "./second_step.tsx";
import { texts } from "./texts.ts";

/** What the address said. */
interface Back {
  readonly code: string | null;
  readonly redirect: string | null;
  readonly error: string | null;
}

function takeBack(): Back {
  const query = new URLSearchParams(location.search);
  history.replaceState(null, "", location.pathname);
  return {
    code: query.get("code"),
    redirect: query.get("redirect"),
    error: query.get("error"),
  };
}

export default function Provider() {
  const { route } = useLocation();
  const { provider: said, back } = texts();
  const [{ errand, code, redirect, error }] = useState<Back & { errand: Errand }>(() => ({
    errand: takeErrand(),
    ...takeBack(),
  }));
  const [failure, fail] = useState<string | null>(null);
  const entering = useEntering(redirect);
  const links = errand === "link" && user.value;

  useEffect(() => {
    if (code === null) return fail(wordsFor(error));
    const end = links ? link(code) : exchangeProviderCode({ body: { code }, query: COOKIE })
      .then(entering.enter);
    end.catch((error) => fail(error instanceof ApiError ? error.message : String(error)));
  }, []);

  async function link(code: string): Promise<void> {
    const { data } = await linkIdentity({ body: { code } });
    refresh("identities");
    toast({ text: said.linked(data.label ?? data.issuer) });
    route("/account/security", true);
  }

  const { challenge, enter, leave } = entering;
  if (challenge) {
    const anew = () => {
      leave();
      route("/login", true);
    };
    return <SecondStep challenge={challenge} enter={enter} leave={anew} />;
  }
  if (failure === null) {
    return (
      <EntryCard title={links ? said.linking : said.title}>
        <p class="entry-wait" role="status">
          <Spinner size={16} label="" /> {said.text}
        </p>
      </EntryCard>
    );
  }
  return (
    <EntryCard
      title={links ? said.notLinkedTitle : said.failedTitle}
      links={links ? <a href="/account/security">{said.security}</a> : <a href="/login">{back}</a>}
    >
      <Notice tone="error">{failure}</Notice>
    </EntryCard>
  );
}

function wordsFor(error: string | null): string {
  const { denied, unavailable, failed } = texts().provider;
  return error === "denied" ? denied : error === "unavailable" ? unavailable : failed;
}
