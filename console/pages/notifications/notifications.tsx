// One's notifications: read, opened, deleted; new ones come by themselves.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import {
  countUnreadNotifications,
  listNotifications,
  markAllNotificationsRead,
  type Notification,
} from "../../../client/mod.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { type Filter, listed, ListPage, loadList } from "../../parts/list_page.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import { Tabs } from "../../parts/tabs.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState, useParameter } from "../../state/address.ts";
import { language } from "../../state/language.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { toast } from "../../state/toasts.ts";
import { useBusy } from "../../state/use_busy.ts";
import { markRead, remove, rowActionsOf } from "./deeds.ts";
import { pageOf } from "./link.ts";
import { texts } from "./texts.ts";

const FILTERS = ["type", "createdAt_gte", "createdAt_lte"];

export default function NotificationsPage() {
  const said = texts();
  const { route } = useLocation();
  const state = useListState({ sort: "-createdAt", filters: FILTERS });
  const [tab] = useParameter("tab", "all");
  const asked = tab === "unread" ? { unread: true } : {};
  const read = (query: Readonly<Record<string, string>>, signal?: AbortSignal) =>
    listNotifications({ query: { ...query, ...asked }, signal });
  const told = useQuery(
    ["notifications", state.query, state.limit, tab],
    (signal) => loadList(state, (query) => read(query, signal)),
  );
  const { data: unread = 0 } = useQuery(
    ["notifications", "unread"],
    async (signal) => (await countUnreadNotifications({ signal })).data.count,
  );
  const columns = useMemo(columnsOf, [language.value]);
  const filters = useMemo(filtersOf, [language.value]);
  const rowActions = useMemo(() => (one: Notification) => rowActionsOf(one, open), [
    language.value,
  ]);
  const selection = useSignal<Selection>(NOTHING);
  const clear = () => selection.value = NOTHING;

  function open(one: Notification) {
    void markRead([one]);
    const page = pageOf(one.link);
    if (page) route(page);
  }
  const chosen = (ids: readonly string[]) =>
    (told.data?.rows ?? []).filter(({ id }) => ids.includes(id));

  return (
    <ListPage<Notification>
      {...listed(told)}
      list="notifications"
      title={said.title}
      text={said.text}
      state={state}
      columns={columns}
      filters={filters}
      search={said.search}
      rowId={({ id }) => id}
      rowName={({ title }) => title}
      onOpen={open}
      rowActions={rowActions}
      selection={selection}
      bulkActions={(ids) => [
        { label: said.markRead, icon: "check", run: () => markRead(chosen(ids)).then(clear) },
        {
          label: said.delete,
          icon: "trash",
          danger: true,
          run: async () => {
            if (await remove(ids)) clear();
          },
        },
      ]}
      exporting={{ name: "notifications", read }}
      actions={<MarkAll unread={unread} />}
      tabs={<Kinds tab={tab} unread={unread} />}
      empty={tab === "unread"
        ? { icon: "check", title: said.noneUnread, text: said.noneUnreadText }
        : { icon: "bell", title: said.none, text: said.noneText }}
    />
  );
}

interface Unread {
  /** How many are. */
  readonly unread: number;
}

function MarkAll({ unread }: Unread) {
  const said = texts();
  const { busy, run } = useBusy();
  const markAll = () =>
    run(async () => {
      const { data } = await markAllNotificationsRead();
      refresh("notifications");
      toast({ text: texts().marked(data.count) });
    });
  return (
    <Button
      icon="check"
      busy={busy}
      aria-disabled={unread === 0 || undefined}
      onClick={() => unread > 0 && void markAll()}
    >
      {said.markAll}
    </Button>
  );
}

function Kinds({ tab, unread }: Unread & { readonly tab: string }) {
  const said = texts();
  const { route } = useLocation();
  return (
    <Tabs
      label={said.title}
      tabs={[{ id: "all", label: said.all }, {
        id: "unread",
        label: said.unread,
        ...(unread > 0 ? { count: unread } : {}),
      }]}
      value={tab}
      onChange={(next) => route(next === "all" ? "/notifications" : `/notifications?tab=${next}`)}
    />
  );
}

const TONES: Readonly<Record<Notification["type"], Tone>> = {
  system: "neutral",
  user: "accent",
  message: "note",
  task: "good",
  alert: "bad",
};

function columnsOf(): Column<Notification>[] {
  const said = texts();
  return [
    {
      id: "title",
      title: said.notification,
      render: ({ title, content, read }) => (
        <span class={classes("told", !read && "told-new")}>
          <span class="told-title">
            {!read && <span class="told-dot" role="img" aria-label={said.isUnread} />}
            <span class="cut">{title}</span>
          </span>
          {content && <span class="told-content muted small cut">{content}</span>}
        </span>
      ),
      csv: ({ title }) => title,
    },
    {
      id: "type",
      title: said.type,
      width: "7.5rem",
      render: ({ type }) => <Badge tone={TONES[type]}>{said.types[type]}</Badge>,
      csv: ({ type }) => said.types[type],
    },
    {
      id: "createdAt",
      title: said.time,
      sortable: true,
      width: "9rem",
      render: ({ createdAt }) => <Time at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
  ];
}

function filtersOf(): Filter[] {
  const said = texts();
  return [
    {
      id: "type",
      label: said.type,
      kind: "choice",
      options: Object.entries(said.types).map(([value, label]) => ({ value, label })),
    },
    { id: "createdAt_gte", label: said.from, kind: "date" },
    { id: "createdAt_lte", label: said.to, kind: "date" },
  ];
}
