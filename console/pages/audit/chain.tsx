// The newest checkpoint of the chain, for whoever keeps it elsewhere.
import { getAuditCheckpoint } from "../../../client/mod.ts";
import { Code, CodeBlock } from "../../parts/code.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { number } from "../../state/format.ts";
import { useQuery } from "../../state/query.ts";
import { texts } from "./texts.ts";

export function Chain({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const said = texts();
  return (
    <Dialog title={said.chain} text={said.chainText} open={open} onClose={onClose}>
      <Checkpoint />
    </Dialog>
  );
}

function Checkpoint() {
  const said = texts();
  const { data, error, refetch } = useQuery(
    ["audit", "checkpoint"],
    async (signal) => (await getAuditCheckpoint({ signal })).data,
  );
  if (error) return <Problem error={error} retry={refetch} compact />;
  if (!data) return <Skeleton rows={4} />;
  return (
    <div class="stack">
      <dl class="facts">
        <dt>{said.seq}</dt>
        <dd class="number">{number(data.seq)}</dd>
        <dt>{said.signed}</dt>
        <dd>
          <Time at={data.at} style="dateTime" />
        </dd>
        <dt>{said.hash}</dt>
        <dd>
          <Code text={data.hash} />
        </dd>
        <dt>{said.signature}</dt>
        <dd>
          <Code text={data.signature} />
        </dd>
        <dt>{said.publicKey}</dt>
        <dd>
          <Code text={data.publicKey} />
        </dd>
      </dl>
      <p class="muted">{said.verify}</p>
      <CodeBlock text="deno task verify --audit" />
    </div>
  );
}
