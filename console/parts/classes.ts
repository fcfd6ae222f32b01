// Names of classes, put together.

/** `classes("button", busy && "button-busy")` */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
