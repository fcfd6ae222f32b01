// Recovery codes, as they are shown once: to be copied, downloaded or printed.
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/code.tsx";
import { user } from "../../state/session.ts";
import { download } from "../../parts/csv.ts";
import { securityTexts } from "./security_texts.ts";

export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const said = securityTexts().codes;
  const text = `Quarterdeck · ${location.host} · ${user.value?.email ?? ""}\n\n${
    codes.join("\n")
  }\n`;
  return (
    <div class="stack print-alone">
      <p class="only-print strong">
        {`Quarterdeck · ${location.host} · ${user.value?.email ?? ""}`}
      </p>
      <ol class="recovery-codes" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="row no-print">
        <CopyButton wide text={codes.join("\n")} label={said.copy} />
        <Button
          size="s"
          icon="download"
          onClick={() =>
            download(`quarterdeck ${said.file}.txt`, new Blob([text], { type: "text/plain" }))}
        >
          {said.download}
        </Button>
        <Button size="s" icon="file-text" onClick={() => print()}>{said.print}</Button>
      </div>
    </div>
  );
}
