// What is stored about one, as a file.
import { useState } from "preact/hooks";
import { exportUserData } from "../../../client/mod.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { download } from "../../parts/csv.ts";
import { user } from "../../state/session.ts";
import { attempt } from "./attempt.ts";
import { AccountPage } from "./page.tsx";
import { texts } from "./texts.ts";

export default function Data() {
  const said = texts().export;
  const [busy, work] = useState(false);

  async function save() {
    work(true);
    await attempt(async () => {
      const path = { id: user.value!.id };
      const file = await exportUserData({ path, parseAs: "blob" } as never) as unknown as Blob;
      download("personal-data.json", file);
    }, said.done);
    work(false);
  }

  return (
    <AccountPage tab="data">
      <Card title={said.title} text={said.text}>
        <Button icon="download" busy={busy} onClick={() => void save()}>{said.action}</Button>
      </Card>
      <Card title={said.deleteTitle} text={said.deleteText} />
    </AccountPage>
  );
}
