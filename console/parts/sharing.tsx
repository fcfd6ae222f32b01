// With whom something is shared: people and teams, what each may do, until when; and sharing with more.
import type { Person as PersonShown, TeamName } from "../../client/mod.ts";
import { refresh, useQuery } from "../state/query.ts";
import { toast } from "../state/toasts.ts";
import { useBusy } from "../state/use_busy.ts";
import { Avatar } from "./avatar.tsx";
import { Button, IconButton } from "./button.tsx";
import { Select } from "./choice_fields.tsx";
import { Dialog } from "./dialog.tsx";
import { Person } from "./person.tsx";
import { Problem } from "./problem.tsx";
import { levelChoices, LEVELS, NewShare, type ShareAsked, type ShareLevel } from "./new_share.tsx";
import { texts } from "./sharing_texts.ts";
import { Skeleton } from "./skeleton.tsx";
import { texts as common } from "./texts.ts";
import { Time } from "./time.tsx";

/** A share as the API lists it with `include=user,team`. */
export interface ShareShown {
  readonly id: string;
  readonly userId?: string;
  readonly teamId?: string;
  readonly user?: PersonShown;
  readonly team?: TeamName;
  readonly permission: ShareLevel;
  readonly expiresAt?: string;
}

export interface SharingProps {
  /** What is shared, by the collection that it is in. */
  readonly collection: "documents" | "files";
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** Those that make a difference here. @default all */
  readonly levels?: readonly ShareLevel[];
  readonly read: (signal: AbortSignal) => Promise<readonly ShareShown[]>;
  readonly give: (asked: ShareAsked) => Promise<unknown>;
  readonly end: (shareId: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** For those alone who may share it. */
export function Sharing({ onClose, ...props }: SharingProps) {
  const { collection, id, name, ownerId, levels = LEVELS, read } = props;
  const said = texts();
  const found = useQuery([collection, "shares", id], read, { keep: false });
  const then = async (work: Promise<unknown>) => {
    await work;
    refresh(collection);
  };
  const give = (asked: ShareAsked) => then(props.give(asked));
  const end = (shareId: string) => then(props.end(shareId));
  const taken = [ownerId, ...(found.data ?? []).flatMap(({ userId }) => userId ?? [])];
  return (
    <Dialog
      open
      title={said.titleOf(name)}
      text={said.text}
      onClose={onClose}
      footer={<Button onClick={onClose}>{common().close}</Button>}
    >
      <div class="stack">
        <NewShare taken={taken} levels={levels} give={give} />
        <section class="stack stack-tight" aria-label={said.title}>
          <h3>{said.title}</h3>
          {found.data
            ? found.data.length === 0 ? <p class="muted">{said.none}</p> : (
              <ul class="items">
                {found.data.map((share) => (
                  <Shared key={share.id} share={share} levels={levels} give={give} end={end} />
                ))}
              </ul>
            )
            : found.error
            ? <Problem error={found.error} retry={() => found.refetch()} compact />
            : <Skeleton rows={2} />}
        </section>
      </div>
    </Dialog>
  );
}

interface SharedProps extends Pick<SharingProps, "give" | "end"> {
  readonly share: ShareShown;
  readonly levels: readonly ShareLevel[];
}

function Shared({ share, levels, give, end }: SharedProps) {
  const said = texts();
  const { busy, run } = useBusy();
  const { id, userId, teamId, user, team, permission, expiresAt } = share;
  const name = user?.name ?? team?.name ?? (teamId === undefined ? said.gone : said.team);
  const target = teamId === undefined ? { userIds: [userId!] } : { teamId };
  const setLevel = (next: ShareLevel) =>
    run(async () => {
      await give({ ...target, permission: next, expiresAt: expiresAt ?? null });
      toast({ text: said.changed(name, said.levels[next]) });
    });
  const remove = () =>
    run(async () => {
      await end(id);
      toast({ text: said.ended(name) });
    });
  return (
    <li class="item">
      <div class="item-words">
        {teamId === undefined
          ? <Person name={name} src={user?.avatar} />
          : <Team name={name} src={team?.avatar} />}
        {expiresAt && (
          <span class="muted small">
            {Date.parse(expiresAt) <= Date.now() ? said.over : said.until}{" "}
            <Time at={expiresAt} style="dateTime" />
          </span>
        )}
      </div>
      <Select<ShareLevel>
        label={said.levelOf(name)}
        hideLabel
        size="s"
        disabled={busy}
        options={levelChoices([...levels, permission])}
        value={permission}
        onChange={(next) => void setLevel(next)}
      />
      <IconButton
        size="s"
        icon="x"
        busy={busy}
        label={said.endOf(name)}
        onClick={() => void remove()}
      />
    </li>
  );
}

function Team({ name, src }: { readonly name: string; readonly src: string | undefined }) {
  return (
    <span class="person">
      <Avatar name={name} src={src} />
      <span class="person-text">
        <span class="person-name cut">{name}</span>
        <span class="person-detail">{texts().team}</span>
      </span>
    </span>
  );
}
