// How a file is seen at a glance: a small image of it, else the sign of its kind.
import { useEffect, useRef, useState } from "preact/hooks";
import type { File as FileShown } from "../../../client/mod.ts";
import { Icon } from "../../parts/icon.tsx";
import { hasThumbnail, iconOf } from "./kinds.ts";
import { thumbnail, type ThumbnailSize } from "./thumbnails.ts";

interface ThumbnailProps {
  file: Pick<FileShown, "id" | "sha256" | "type" | "mimeType">;
  /** Pixels. @default "64" */
  size?: ThumbnailSize;
}

export function Thumbnail({ file, size = "64" }: ThumbnailProps) {
  const box = useRef<HTMLSpanElement>(null);
  const [url, setUrl] = useState<string | null>(null);
  const { id, sha256 } = file;
  const shown = hasThumbnail(file);
  useEffect(() => {
    setUrl(null);
    if (!shown) return;
    let current = true;
    // Only what is seen is read.
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      thumbnail({ id, sha256 }, size).then((found) => current && setUrl(found), () => {});
    }, { rootMargin: "200px" });
    observer.observe(box.current!);
    return () => {
      current = false;
      observer.disconnect();
    };
  }, [id, sha256, size, shown]);
  return (
    <span ref={box} class={`file-mark file-mark-${size} file-${file.type}`}>
      {url
        // The name stands beside it.
        ? <img src={url} alt="" onError={() => setUrl(null)} />
        : <Icon name={iconOf(file)} size={size === "64" ? 16 : 24} />}
    </span>
  );
}
