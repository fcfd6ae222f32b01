// The picture of somebody, or the first letters of their name.
import { useState } from "preact/hooks";
import { initials, tintOf } from "./initials.ts";

export interface AvatarProps {
  name: string;
  /** The address of the picture. */
  src?: string | null;
  /** 20, 28, 36 and 72 pixels. @default "m" */
  size?: "s" | "m" | "l" | "xl";
}

/** Not read out: a name stands with it. */
export function Avatar({ name, src, size = "m" }: AvatarProps) {
  const [broken, setBroken] = useState<string | null>(null);
  if (src && broken !== src) {
    return (
      <img
        class={`avatar avatar-${size}`}
        src={src}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setBroken(src)}
      />
    );
  }
  return (
    <span
      class={`avatar avatar-${size} tint-${tintOf(name)}`}
      // Shown by the style sheet: they are a picture, no text of the button or link that has them.
      data-initials={initials(name)}
      aria-hidden="true"
    />
  );
}
