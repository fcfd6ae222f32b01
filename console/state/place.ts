// What the server says of itself in the page that it sends: where its API is and what it has.

export interface Place {
  /** Where the API begins, without a slash at the end: `/api`. */
  readonly api: string;
  /** The names of the modules that are served: `users`, `documents`, … */
  readonly modules: readonly string[];
  /** Resources of which everyone signed in has their own, so that no role names them. */
  readonly open: readonly string[];
  readonly variant: string;
  readonly version: string;
  /** Whether pages for those who build the console are served: anywhere but in production. */
  readonly development: boolean;
  /** Whether people may register themselves. */
  readonly registration: boolean;
  /** Who else people may sign in by. */
  readonly providers: readonly { readonly name: string; readonly label: string }[];
}

const NOWHERE: Place = {
  api: "/api",
  modules: [],
  open: [],
  variant: "",
  version: "",
  development: false,
  registration: false,
  providers: [],
};

const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="quarterdeck"]');

export const place: Place = JSON.parse(meta?.content ?? "null") ?? NOWHERE;

/** Paths that the console shows: links to what the server serves beside it are for the browser. */
export const PAGES_OF_CONSOLE = new RegExp(
  `^/(?!${place.api.slice(1)}(/|$)|s/|assets/|health|livez|readyz|metrics)`,
);

/** Whether the server serves a module. */
export function serves(module: string): boolean {
  return place.modules.includes(module);
}
