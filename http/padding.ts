// Widens what Deno takes of an answer at a time.

/** Of 256 answers to a port this one has a long head: who asks for fewer has no need of it. */
const PADDED = 8;
/** TCP's. */
const PORTS = 1 << 16;
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
  /** How many answers there were by the port at the other end, up to 256: other connections come from there later. */
  readonly #answers = new Uint8Array(PORTS);

  /**
   * Adds a header to one of many answers: only to JSON, which front ends ask for again and again. It takes the runtime 50
   * to 150 µs to check what stands in it.
   */
  add({ headers }: Response, port: number): void {
    this.#answers[port]!++;
    if (this.#answers[port] !== PADDED) return;
    if (headers.get("content-type") !== "application/json") return;
    let bytes = 0;
    for (const [name, value] of headers) bytes += name.length + value.length + 4;
    if (bytes <= PADDED_UP_TO) headers.set("x-padding", PADDING);
  }
}
