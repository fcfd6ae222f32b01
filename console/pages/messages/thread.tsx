// One conversation: what was said, the newest at the end, and what is to be said next.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Conversation, markConversationRead, type Message } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { TextArea } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { date, number } from "../../state/format.ts";
import { refresh, useQuery } from "../../state/query.ts";
import { user } from "../../state/session.ts";
import { hasArrived } from "./arrived.ts";
import { nameOf } from "./name_of.ts";
import { discard, outbox, type Outgoing, post, repeat, waiting } from "./outbox.ts";
import { readThread, STEP } from "./read_thread.ts";
import { removeMessages } from "./remove.ts";
import { texts } from "./texts.ts";

export function Thread(
  { id, conversation }: { readonly id: string; readonly conversation: Conversation | undefined },
) {
  const said = texts();
  const [count, setCount] = useState(STEP);
  const { data, error, refetch } = useQuery(
    ["messages", "thread", id, count],
    (signal) => readThread(id, count, signal),
  );
  const unread = conversation?.unreadCount ?? 0;
  useEffect(() => {
    if (unread === 0) return;
    // What is shown counts as read; where that is not told, it is told the next time.
    markConversationRead({ path: { id } }).then(
      () => refresh("conversations", "notifications"),
      () => {},
    );
  }, [id, unread]);

  return (
    <section class="talk-thread" aria-label={conversation ? nameOf(conversation) : said.message}>
      <header class="talk-title">
        <a class="only-narrow" href="/messages" aria-label={said.back} title={said.back}>
          <Icon name="chevron-left" />
        </a>
        <h2 class="cut">{conversation ? nameOf(conversation) : said.message}</h2>
        {conversation?.type === "group" && (
          <span
            class="muted small"
            title={conversation.members.map(({ name }) => name).join(", ")}
          >
            {said.members(number(conversation.members.length))}
          </span>
        )}
      </header>
      {error && !data && <Problem error={error} retry={refetch} />}
      {!error && !data && (
        <div class="talk-said">
          <Skeleton rows={6} />
        </div>
      )}
      {data && (
        <Said
          id={id}
          messages={data.messages}
          more={data.total > data.messages.length}
          onMore={() => setCount(count + STEP)}
        />
      )}
      <Answer id={id} />
    </section>
  );
}

/** Pixels above the end within which somebody still reads what is new. */
const NEAR = 80;

function Said(
  { id, messages, more, onMore }: {
    readonly id: string;
    readonly messages: readonly Message[];
    readonly more: boolean;
    readonly onMore: () => void;
  },
) {
  const said = texts();
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const outgoing = outbox.value.filter((one) =>
    one.conversationId === id && !hasArrived(one, messages, user.value?.id)
  );
  const newest = messages[0]?.id;
  const { key, refused } = outgoing.at(-1) ?? {};
  // Asked before anything is drawn: what is gone afterwards went by this drawing, such as a message that was deleted.
  const held = box.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (held && document.activeElement === document.body) box.current!.focus();
  });
  useLayoutEffect(() => {
    // Who reads what was said before is not torn away from it, unless they say something themselves.
    if (atEnd.current || key !== undefined) box.current!.scrollTop = box.current!.scrollHeight;
  }, [newest, key, refused]);
  const inOrder = messages.toReversed();
  return (
    <div
      class="talk-said"
      ref={box}
      tabIndex={0}
      role="log"
      aria-label={said.message}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {more && <Button size="s" kind="quiet" onClick={onMore}>{said.earlier}</Button>}
      {messages.length === 0 && outgoing.length === 0 && <p class="muted">{said.empty}</p>}
      {inOrder.map((message, at) => (
        <Bubble key={message.id} message={message} before={inOrder[at - 1]} />
      ))}
      {outgoing.map((one) => <Waiting key={one.key} message={one} />)}
    </div>
  );
}

/** What the server has not taken yet. */
function Waiting({ message: { key, content, refused } }: { readonly message: Outgoing }) {
  const said = texts();
  return (
    <div class="bubble bubble-mine">
      <div class="bubble-words">
        <p class="bubble-text">{content}</p>
        <p class="small muted" role="status">
          {refused ?? (waiting.value ? said.waiting : said.sending)}
        </p>
        {refused !== undefined && (
          <span class="row">
            <Button size="s" kind="quiet" onClick={() => repeat(key)}>{said.again}</Button>
            <Button size="s" kind="quiet" onClick={() => discard(key)}>{said.discard}</Button>
          </span>
        )}
      </div>
    </div>
  );
}

function Bubble(
  { message, before }: { readonly message: Message; readonly before: Message | undefined },
) {
  const said = texts();
  const { id, sender, senderId, content, createdAt, read } = message;
  const mine = senderId === user.value?.id;
  const day = date(createdAt, "date");
  const newDay = !before || date(before.createdAt, "date") !== day;
  const goesOn = !newDay && before.senderId === senderId;
  return (
    <>
      {newDay && <p class="talk-day">{day}</p>}
      <div class={classes("bubble", mine && "bubble-mine", goesOn && "bubble-goes-on")}>
        {!mine && !goesOn && (
          <Avatar
            name={sender.name || said.gone}
            src={sender.avatar}
            size="m"
          />
        )}
        <div class="bubble-words">
          {!goesOn && (
            <p class="bubble-head small muted">
              <span class="strong">{mine ? said.you : sender.name || said.gone}</span>
              <Time at={createdAt} style="time" />
            </p>
          )}
          <p class="bubble-text">{content}</p>
          {mine && read && <p class="small muted">{said.read}</p>}
        </div>
        <IconButton
          icon="trash"
          size="s"
          label={mine ? said.deleteForAll : said.delete}
          onClick={() => void removeMessages([id], mine)}
        />
      </div>
    </>
  );
}

/** What was begun and not sent, by who writes and the conversation. */
const drafts = new Map<string, string>();

function Answer({ id }: { readonly id: string }) {
  const said = texts();
  const draft = `${user.value?.id} ${id}`;
  const [text, setText] = useState(drafts.get(draft) ?? "");
  const form = useRef<HTMLFormElement>(null);
  const write = (text: string) => {
    setText(text);
    drafts.set(draft, text);
  };
  const submit = () => {
    const content = text.trim();
    if (!content) return;
    write("");
    post(id, content);
  };
  // Who opens a conversation at a desk writes next; on phones it would cover what was said with keys.
  useEffect(() => {
    if (matchMedia("(min-width: 700px)").matches) form.current!.querySelector("textarea")!.focus();
  }, []);
  return (
    <form
      ref={form}
      class="talk-answer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextArea
        label={said.write}
        hideLabel
        hint={said.writeHint}
        placeholder={said.write}
        rows={2}
        maxLength={10_000}
        value={text}
        onChange={write}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <Button type="submit" kind="primary" icon="send">{said.send}</Button>
    </form>
  );
}
