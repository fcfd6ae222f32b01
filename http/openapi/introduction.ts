// How the API document begins: what holds for every operation, and is not said again at each.
import type { Variant } from "../../config/variants.ts";

const ANSWERS =
  `Answers are \`{"success": true, "data": …}\`, of lists with \`pagination\`; fields of a request that nothing
takes are named in \`warnings\`. \`?envelope=false\`, \`Accept: application/json;envelope=false\` and the paths below
\`/rest\` give the data alone.`;

const ERRORS =
  `Errors have a \`code\` for the kind of error and, where fields are wrong, one for each problem. Codes
never change; messages are in English or Chinese, as \`Accept-Language\` asks. \`Accept: application/problem+json\` gives
problem details (RFC 9457).`;

const REQUESTS =
  `An answer with an \`ETag\` is asked for again with \`If-None-Match\`: 304 where nothing is new. Wherever
\`PUT\` is, \`PATCH\` is the same: both take only what changes. \`HEAD\` and \`OPTIONS\` answer as HTTP says.`;

const COOKIES = "A cookie of a session that has ended leads to the log-in page: 302.";

/** Markdown (CommonMark). */
export function introduction({ name, cookies }: Variant): string {
  const purpose = `The admin-dashboard backend, variant ${name}.`;
  return [purpose, ANSWERS, ERRORS, REQUESTS, ...(cookies ? [COOKIES] : [])]
    .map((paragraph) => paragraph.replaceAll("\n", " ")).join("\n\n");
}
