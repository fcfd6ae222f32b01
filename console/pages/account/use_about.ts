// What somebody says of themselves while they change it, and what is asked where it was changed elsewhere meanwhile.
import { useEffect, useRef, useState } from "preact/hooks";
import {
  ConflictError,
  getCurrentUser,
  updateCurrentUserByPatch,
  type User,
  versioned,
} from "../../../client/mod.ts";
import { useForm } from "../../parts/form.tsx";
import { refresh } from "../../state/query.ts";
import { loadUser } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { texts } from "./texts.ts";

const FIELDS = ["name", "username", "phone", "department", "position", "bio", "timeZone"] as const;
export type About = Record<(typeof FIELDS)[number], string>;

interface Version {
  readonly data: User;
  readonly etag: string;
}

function aboutOf(user: User): About {
  return Object.fromEntries(FIELDS.map((field) => [field, user[field] ?? ""])) as About;
}

/** Only what was changed: fields that others changed stay theirs. */
function changes(values: About, before: About): Partial<About> {
  const changed = FIELDS.filter((field) => values[field] !== before[field]);
  return Object.fromEntries(changed.map((field) => [field, values[field]]));
}

export function useAbout({ data: user, etag }: Version) {
  const [theirs, clash] = useState<Version | null>(null);
  /** What the values were made from. */
  const base = useRef({ etag, about: aboutOf(user) });
  const form = useForm<About>({
    initial: aboutOf(user),
    submit: save,
  });
  // What others have saved is shown where nothing was typed; else the save finds out.
  useEffect(() => {
    if (base.current.etag !== etag && !form.dirty.peek() && !form.busy.peek()) {
      begin({ data: user, etag });
    }
  }, [etag]);

  function begin({ data, etag }: Version): void {
    base.current = { etag, about: aboutOf(data) };
    form.reset(base.current.about);
  }

  async function save(values: About): Promise<void> {
    try {
      begin(await store(changes(values, base.current.about), base.current.etag));
      toast({ text: texts().saved });
      refresh("users");
      await loadUser();
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      clash(await versioned(getCurrentUser({ responseStyle: "fields" } as never)) as never);
    }
  }

  return {
    form,
    /** Whether it was changed elsewhere, so that one has to choose. */
    clashed: theirs !== null,
    /** Back to the form, without a choice. */
    goOn: () => clash(null),
    takeTheirs() {
      begin(theirs!);
      clash(null);
      refresh("users");
    },
    keepMine() {
      base.current = { ...base.current, etag: theirs!.etag };
      clash(null);
      void form.submit();
    },
  };
}

async function store(body: Partial<About>, etag: string): Promise<Version> {
  return await versioned(
    updateCurrentUserByPatch({
      body,
      headers: { "If-Match": etag },
      responseStyle: "fields",
    } as never),
  ) as unknown as Version;
}
