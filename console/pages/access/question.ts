// What is asked, as the address has it.

export const RESOURCES = ["documents", "files", "calendar"] as const;
export type Resource = (typeof RESOURCES)[number];

export interface Question {
  /** Empty: nobody was chosen yet. */
  readonly userId: string;
  readonly permission: string;
  /** The kind of record that it is about; empty: none in particular. */
  readonly resource: Resource | "";
  readonly id: string;
}

export function questionIn(params: URLSearchParams): Question {
  const resource = RESOURCES.find((one) => one === params.get("resource")) ?? "";
  return {
    userId: params.get("userId") ?? "",
    permission: params.get("permission") ?? "",
    resource,
    id: resource ? params.get("id") ?? "" : "",
  };
}

/** The query of the address. */
export function textOf(question: Question): string {
  const named = Object.entries(question).filter(([, value]) => value !== "");
  return new URLSearchParams(named).toString();
}
