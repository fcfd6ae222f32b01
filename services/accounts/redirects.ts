// Where a sign-in may lead: paths of this server only, so that no link to the login page leads elsewhere.

/** Any origin will do to see what a browser makes of a path. */
const BASE = "http://quarterdeck.invalid";
const MAX_LENGTH = 2000;
/** Browsers drop some control characters and read a backslash as a slash (WHATWG URL, section 4.4). */
// deno-lint-ignore no-control-regex -- these are what is refused
const UNSAFE = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/;

/** The text itself when it is a path on this server, else null. */
export function localPath(text: string | null | undefined): string | null {
  if (!text || text.length > MAX_LENGTH || !text.isWellFormed()) return null;
  if (!text.startsWith("/") || text.startsWith("//") || UNSAFE.test(text)) return null;
  const url = URL.parse(text, BASE);
  // `/.//host` is a path, but one that reads as a host when it is resolved again.
  return url?.origin === BASE && !url.pathname.startsWith("//") ? text : null;
}

/** The login page, which leads back to a path. */
export function loginPath(back?: string): string {
  return back === undefined ? "/login" : `/login?redirect=${encodeURIComponent(back)}`;
}
