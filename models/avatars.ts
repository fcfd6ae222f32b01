// The picture of each user who has uploaded one. The profile's `avatar` is its address.
import { z } from "zod";
import { collection, type RecordOf } from "./collection.ts";

/** The id is the user's. */
export const avatars = collection("avatars", {
  userId: z.string(),
  /** Of the address: nobody can guess it, and each picture has another. */
  key: z.string(),
  /** The id of its content. */
  sha256: z.string(),
  /** Bytes. */
  size: z.number().int(),
  mimeType: z.string(),
}, {
  unique: { key: ["key"] },
  filter: ["userId"],
  references: { userId: "users", sha256: "contents" },
});

export type Avatar = RecordOf<typeof avatars>;
