// One's picture: chosen or dropped, shown at once, removed.
import { useRef, useState } from "preact/hooks";
import { deleteAvatar, uploadAvatar, type User } from "../../../client/mod.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { classes } from "../../parts/classes.ts";
import { refresh } from "../../state/query.ts";
import { loadUser } from "../../state/session.ts";
import { attempt } from "./attempt.ts";
import { texts } from "./texts.ts";

const TYPES = "image/jpeg,image/png,image/webp,image/gif";

export function PictureCard({ user }: { readonly user: User }) {
  const said = texts().picture;
  const input = useRef<HTMLInputElement>(null);
  const [busy, work] = useState(false);
  const [over, setOver] = useState(false);

  async function change(run: () => Promise<unknown>, done: string) {
    work(true);
    await attempt(async () => {
      await run();
      refresh("users");
      await loadUser();
    }, done);
    work(false);
  }
  const upload = (file: File | undefined) => {
    if (file) void change(() => uploadAvatar({ body: { file } }), said.uploaded);
  };

  return (
    <Card>
      <div
        class={classes("picture", over && "picture-over")}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          upload(event.dataTransfer?.files[0]);
        }}
      >
        <Avatar name={user.name} src={user.avatar} size="xl" />
        <div class="stack stack-tight">
          <h2>{said.title}</h2>
          <p class="muted small">{said.text}</p>
          <div class="row">
            <Button icon="upload" size="s" busy={busy} onClick={() => input.current!.click()}>
              {user.avatar ? said.change : said.choose}
            </Button>
            {user.avatar && (
              <Button
                size="s"
                kind="quiet"
                icon="trash"
                onClick={() => void change(() => deleteAvatar(), said.removed)}
              >
                {said.remove}
              </Button>
            )}
            <span class="muted small only-pointer">{said.drop}</span>
          </div>
        </div>
        <input
          ref={input}
          type="file"
          accept={TYPES}
          hidden
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            // The same file may be chosen once more.
            event.currentTarget.value = "";
            upload(file);
          }}
        />
      </div>
    </Card>
  );
}
