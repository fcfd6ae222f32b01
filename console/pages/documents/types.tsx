// What documents are: their types, and how each is shown.
import type { DocumentSummary } from "../../../client/mod.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { texts } from "./texts.ts";

export type DocumentType = DocumentSummary["type"];

export const TYPES: readonly DocumentType[] = [
  "document",
  "code",
  "spreadsheet",
  "presentation",
  "pdf",
  "image",
  "other",
];

const ICONS: Readonly<Record<DocumentType, IconName>> = {
  document: "documents",
  pdf: "pdf",
  image: "image",
  spreadsheet: "columns",
  presentation: "monitor",
  code: "log",
  other: "file-text",
};

export function TypeIcon({ type }: { readonly type: DocumentType }) {
  return <Icon name={ICONS[type]} label={texts().types[type]} />;
}

export function typeChoices() {
  return TYPES.map((value) => ({ value, label: texts().types[value] }));
}
