// The conversations at one side, the one that is open at the other; on phones one of both.
import { useState } from "preact/hooks";
import { type Conversation, getConversation, listConversations } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchField } from "../../parts/search_field.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useParameter } from "../../state/address.ts";
import { number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { can } from "../../state/session.ts";
import { Compose } from "./compose.tsx";
import { nameOf } from "./name_of.ts";
import { texts } from "./texts.ts";
import { Thread } from "./thread.tsx";

/** Conversations that are shown; older ones are found by their people's pages. */
const SHOWN = 100;

export function Conversations({ id }: { readonly id: string | null }) {
  const said = texts();
  const [writing, setWriting] = useState(false);
  const [search, setSearch] = useParameter("search");
  const { data, error, refetch } = useQuery(
    ["conversations", "list", search],
    async (signal) => {
      const query = { limit: SHOWN, ...(search ? { search } : {}) };
      return (await listConversations({ query, signal })).data;
    },
  );
  const open = useOpened(id, data);
  const mayWrite = can("users:view") && can("messages:create");
  return (
    <Page
      title={said.title}
      actions={mayWrite && (
        <Button
          kind="primary"
          icon="edit"
          onClick={() => setWriting(true)}
        >
          {said.create}
        </Button>
      )}
    >
      {error && !data && <Problem error={error} retry={refetch} />}
      {!error && !data && <Skeleton rows={8} />}
      {data?.length === 0 && id === null && !search && (
        <Empty
          icon="messages"
          title={said.none}
          text={mayWrite ? said.noneText : said.noMessagesText}
        />
      )}
      {data && (data.length > 0 || id !== null || search) && (
        <div class={classes("talk", id !== null && "talk-open")}>
          <div class="talk-side">
            <SearchField label={said.find} value={search} onChange={setSearch} />
            <nav class="talk-list" aria-label={said.conversations}>
              {data.length === 0 && <p class="muted" role="status">{said.noneFound}</p>}
              <ul>
                {data.map((conversation) => (
                  <li key={conversation.id}>
                    <Entry
                      conversation={conversation}
                      open={conversation.id === id}
                      search={search}
                    />
                  </li>
                ))}
              </ul>
            </nav>
          </div>
          {id === null
            ? (
              <div class="talk-thread talk-none">
                <Empty
                  icon="messages"
                  title={said.choose}
                  text={mayWrite && said.chooseText}
                />
              </div>
            )
            : <Thread key={id} id={id} conversation={open} />}
        </div>
      )}
      {writing && <Compose onClose={() => setWriting(false)} />}
    </Page>
  );
}

/** The conversation that is open, also where the list does not have it. */
function useOpened(
  id: string | null,
  listed: readonly Conversation[] | undefined,
): Conversation | undefined {
  const found = listed?.find((one) => one.id === id);
  const { data } = useQuery(
    ["conversations", "one", id],
    async (signal) =>
      (await getConversation({ path: { id: id! }, query: { limit: 1 }, signal })).data,
    { enabled: id !== null && listed !== undefined && !found, keep: false },
  );
  return found ?? data;
}

function Entry(
  { conversation, open, search }: {
    readonly conversation: Conversation;
    readonly open: boolean;
    readonly search: string;
  },
) {
  const said = texts();
  const { id, type, avatar, lastMessage, lastMessageTime, unreadCount, members } = conversation;
  const name = nameOf(conversation);
  return (
    <a
      class="talk-entry"
      href={`/messages/${id}${search && `?search=${encodeURIComponent(search)}`}`}
      aria-current={open ? "true" : undefined}
    >
      <Avatar name={name} src={avatar} size="l" />
      <span class="talk-words">
        <span class="talk-head">
          <span class={classes("cut", unreadCount > 0 && "strong")}>{name}</span>
          <span class="muted small">
            <Time at={lastMessageTime} />
          </span>
        </span>
        <span class="talk-head">
          <span class="cut muted small">
            {type === "group" && `${said.members(number(members.length))} · `}
            {lastMessage?.content}
          </span>
          {unreadCount > 0 && (
            <Badge tone="accent" title={said.unread(unreadCount)}>{number(unreadCount)}</Badge>
          )}
        </span>
      </span>
    </a>
  );
}
