// What the kinds of files look like, and how much the browser can show of them.
import type { File as FileShown } from "../../../client/mod.ts";
import type { IconName } from "../../parts/icon.tsx";

export type FileType = FileShown["type"];

export const TYPES: readonly FileType[] = [
  "image",
  "video",
  "audio",
  "document",
  "archive",
  "other",
];

const ICONS: Readonly<Record<FileType, IconName>> = {
  image: "image",
  video: "video",
  audio: "audio",
  archive: "zip",
  document: "file-text",
  other: "files",
};

type Kind = Pick<FileShown, "type" | "mimeType">;

export function iconOf({ type, mimeType }: Kind): IconName {
  return mimeType === "application/pdf" ? "pdf" : ICONS[type];
}

/** Types of which the server makes small images. */
const REDUCED = new Set(["image/jpeg", "image/png", "image/webp", "image/gif"]);

export function hasThumbnail({ mimeType }: Pick<Kind, "mimeType">): boolean {
  return REDUCED.has(mimeType);
}

export type PreviewKind = "image" | "video" | "audio" | "text" | "pdf" | "none";

/** Types that the server lets browsers draw or play. */
const DRAWN = new Set([...REDUCED, "image/avif"]);
const PLAYED = new Set(["audio/mpeg", "audio/ogg", "audio/wav", "video/mp4", "video/webm"]);
/** Texts that do not say so by their type. */
const TEXTS =
  /^(text\/|application\/(json|xml|yaml|toml|javascript|x-sh|sql|x-ndjson)\b)|[+](json|xml)$/;

/** @param mimeType Without parameters. */
export function previewOf({ mimeType }: Pick<Kind, "mimeType">): PreviewKind {
  if (DRAWN.has(mimeType)) return "image";
  if (PLAYED.has(mimeType)) return mimeType.startsWith("video/") ? "video" : "audio";
  if (mimeType === "application/pdf") return "pdf";
  // Markup of images is shown as the text that it is.
  return TEXTS.test(mimeType) ? "text" : "none";
}
