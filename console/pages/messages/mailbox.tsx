// The mailbox, where the server has no conversations: what came, what was sent.
import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { markMessageRead, type Message } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { type ListAnswer } from "../../parts/list_data.ts";
import { listed, ListPage, loadList } from "../../parts/list_page.tsx";
import { Person } from "../../parts/person.tsx";
import { NOTHING, type Selection } from "../../parts/selection.ts";
import type { Column } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { useListState } from "../../state/address.ts";
import type { PersonFound } from "../../state/people.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { can, connection, user } from "../../state/session.ts";
import { Compose } from "./compose.tsx";
import { removeMessages } from "./remove.ts";
import { texts } from "./texts.ts";

/** The client's functions are those of the variant with all modules, which has conversations in place of a mailbox. */
async function listMessages(
  query: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<ListAnswer<Message>> {
  const answer = await connection.client.get({
    url: "/messages",
    query,
    signal,
    security: [{ scheme: "bearer", type: "http" }],
    responseStyle: "data",
  });
  return answer as unknown as ListAnswer<Message>;
}

export function Mailbox() {
  const said = texts();
  const state = useListState({ sort: "-createdAt", filters: ["folder"] });
  const selection = useSignal<Selection>(NOTHING);
  const [shown, show] = useState<Message | null>(null);
  const [to, write] = useState<readonly PersonFound[] | null>(null);
  const folder = state.filters.folder === "sent" ? "sent" : "inbox";
  const query = useQuery(
    ["messages", "box", folder, state.query, state.limit],
    (signal) => loadList(state, (asked) => listMessages({ ...asked, folder }, signal)),
  );
  const columns = useMemo(() => columnsOf(), [said]);
  const open = (message: Message) => {
    show(message);
    if (message.read || message.senderId === user.value?.id) return;
    markMessageRead({ path: { id: message.id } }).then(() => refresh("messages"), () => {});
  };
  return (
    <>
      <ListPage<Message>
        {...listed(query)}
        list="messages"
        title={said.title}
        state={state}
        search={said.search}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ content }) => content.slice(0, 40)}
        selection={selection}
        bulkActions={(ids) => [{
          label: folder === "sent" ? said.deleteForAll : said.delete,
          icon: "trash",
          danger: true,
          run: async () => {
            if (await removeMessages(ids, folder === "sent")) selection.value = NOTHING;
          },
        }]}
        onOpen={open}
        exporting={{ name: folder, read: (query) => listMessages({ ...query, folder }) }}
        create={can("users:view") && can("messages:create")
          ? { label: said.create, run: () => write([]) }
          : undefined}
        tabs={
          <Tabs
            label={said.title}
            value={folder}
            onChange={(value) =>
              state.set({ filters: { folder: value === "sent" ? value : undefined } })}
            tabs={[
              { id: "inbox", label: said.inbox, icon: "messages" },
              { id: "sent", label: said.outbox, icon: "send" },
            ]}
          />
        }
        empty={{ icon: "messages", title: said.noMessages, text: said.noMessagesText }}
      />
      <Opened message={shown} onClose={() => show(null)} onReply={(person) => write([person])} />
      {to && <Compose to={to} onClose={() => write(null)} />}
    </>
  );
}

function columnsOf(): Column<Message>[] {
  const said = texts();
  return [
    {
      id: "sender",
      title: said.from,
      width: "14rem",
      render: ({ sender }) => (
        <Person name={sender.name || said.gone} src={sender.avatar} size="s" />
      ),
      csv: ({ sender }) => sender.name,
    },
    {
      id: "content",
      title: said.text,
      render: ({ content, read }) => (
        <span class={read ? "cut muted" : "cut strong"}>{content}</span>
      ),
      csv: ({ content }) => content,
    },
    {
      id: "read",
      title: said.state,
      width: "7rem",
      render: ({ read }) => read ? null : <Badge tone="accent">{said.new}</Badge>,
    },
    {
      id: "createdAt",
      title: said.at,
      sortable: true,
      width: "9rem",
      render: ({ createdAt }) => <Time at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
  ];
}

function Opened(
  { message, onClose, onReply }: {
    readonly message: Message | null;
    readonly onClose: () => void;
    readonly onReply: (person: PersonFound) => void;
  },
) {
  const said = texts();
  if (!message) return null;
  const { sender, senderId, content, createdAt, id } = message;
  const mine = senderId === user.value?.id;
  const mayReply = senderId !== "" && !mine && can("messages:create");
  const remove = async () => {
    if (await removeMessages([id], mine)) onClose();
  };
  const name = sender.name || said.gone;
  return (
    <Drawer
      title={name}
      text={<Time at={createdAt} style="full" />}
      open
      onClose={onClose}
      footer={
        <>
          <Button icon="trash" onClick={() => void remove()}>
            {mine ? said.deleteForAll : said.delete}
          </Button>
          {mayReply && (
            <Button
              kind="primary"
              icon="reply"
              onClick={() => {
                onClose();
                onReply({ value: senderId, label: name, description: "" });
              }}
            >
              {said.reply}
            </Button>
          )}
        </>
      }
    >
      <p class="bubble-text">{content}</p>
    </Drawer>
  );
}
