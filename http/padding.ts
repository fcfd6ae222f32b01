// Widens what Deno takes of an answer at a time.

/**
 * One answer of so many has a long head. The number is prime, so that each of connections that take turns meets it.
 */
const PADDED_EVERY = 61;
/**
 * With the other headers it stays within the 4 KiB that nginx takes by default:
 * https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffer_size
 */
const PADDING = "0".repeat(2700);
/** Bytes of the other headers up to which there is room for it: links to other pages repeat a long query. */
const PADDED_UP_TO = 900;

/**
 * Deno 2.9 hands the head and the body of an answer to the system apart, unless both fit into the buffer of the connection.
 * That begins with 512 bytes, and grows with the longest head alone. After a head of 3 KB all answers on that connection
 * go out in one piece up to 6 KB, as pages of lists are.
 */
export class Padding {
  #answers = 0;

  /** Adds a header to an answer now and then: only to JSON, which front ends ask for again and again. */
  add({ headers }: Response): void {
    if (++this.#answers % PADDED_EVERY !== 0) return;
    if (headers.get("content-type") !== "application/json") return;
    let bytes = 0;
    for (const [name, value] of headers) bytes += name.length + value.length + 4;
    if (bytes <= PADDED_UP_TO) headers.set("x-padding", PADDING);
  }
}
