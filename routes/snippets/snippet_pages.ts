// The page that shows a snippet, at the origin that is meant for it.
import { endpoint } from "../../http/endpoint.ts";
import { isSentTo } from "../../http/address.ts";
import { exchangeOf } from "../../http/exchange.ts";
import { existing } from "../../core/errors.ts";
import { type SnippetPage, snippetPage, snippetPageHeaders } from "../../pages/snippet.ts";
import { convertMarkdown } from "../../services/snippets/markdown.ts";
import { findSnippet } from "../../services/snippets/snippets.ts";
import { inFrame } from "../../services/snippets/srcdoc.ts";

const show = endpoint({
  operationId: "showSnippet",
  method: "get",
  path: "/s/{id}",
  root: true,
  tag: "Snippets",
  summary: "The page that shows a shared snippet, sandboxed",
  description: "Where SNIPPET_ORIGIN is set it is served there, and this leads to it.",
  access: "public",
  raw: "text/html",
  movedWhen: "SNIPPET_ORIGIN is set, and the page is served there",
  errors: ["NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE"],
  async handle(call) {
    const { settings, limiter, clock } = call.services;
    const { days, origin } = settings.snippets;
    limiter.take("snippetPage", { address: call.ip });
    const snippet = existing(
      await findSnippet(call.store, call.params.id, { days, now: clock() }),
      "snippet",
    );
    const apart = origin !== undefined && isSentTo(call.context, new URL(origin));
    const { headers } = exchangeOf(call.context);
    if (origin !== undefined && !apart) {
      const location = `${origin}/s/${snippet.id}`;
      return new Response(null, { status: 302, headers: { ...headers, location } });
    }
    const { content, language: kind } = snippet;
    const srcdoc = kind === "markdown"
      ? await convertMarkdown(content, "srcdoc")
      : new TextEncoder().encode(inFrame(content));
    const page: SnippetPage = { kind, srcdoc, apart };
    return new Response(snippetPage(page), {
      headers: { ...headers, ...snippetPageHeaders(page) },
    });
  },
});

export const snippetPageRoutes = [show];
