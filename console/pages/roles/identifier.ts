// What a role is called by programs, made of what people call it.

/** Characters, at most: what the server takes. */
const MOST = 50;

/** `Head of sales` → `head_of_sales`; letters of every script stay. */
export function identifierOf(label: string): string {
  return label.toLowerCase().normalize("NFKD").replaceAll(/\p{M}/gu, "").normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_").replaceAll(/^_+|_+$/g, "").slice(0, MOST);
}
