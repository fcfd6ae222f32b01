// Why someone may do something, or may not.
import { z } from "zod";
import { eitherCase } from "./requests.ts";
import { userStatus } from "./users.ts";

/** What somebody may do with a record, from nothing to all. */
const accessLevel = z.enum(["none", "read", "comment", "edit", "owner"]);

export const explanationQuery = z.object({
  /** What is asked about: a permission such as `documents:update`. */
  permission: z.string().regex(
    /^[\w-]{1,50}:[\w-]{1,50}$/,
    "must be a permission such as documents:update",
  ),
  /** The kind of record that it is about; with `id`. */
  resource: eitherCase(z.enum(["documents", "files", "calendar"])).optional(),
  /** The record that it is about. */
  id: z.string().min(1).max(128).optional(),
  /** Whom it is about. @default the caller */
  userId: z.string().min(1).max(128).optional(),
});

export const explanation = z.object({
  allowed: z.boolean(),
  user: z.object({ id: z.string(), name: z.string() }),
  permission: z.string(),
  /** What decides, in its order: all have to hold. */
  reasons: z.array(z.object({
    /** What was looked at. */
    rule: z.enum(["account", "secondFactor", "permission", "record"]),
    ok: z.boolean(),
    /**
     * What opens it: the permission that is held by the role or by the user, the level on the record and where it comes
     * from; or what is missing.
     */
    because: z.string(),
    /** The same for programs, which tell it in the words of their own language. */
    basis: z.object({
      /** Of the account. */
      status: userStatus.optional(),
      /** The name of the user's role, where it decides. */
      role: z.string().optional(),
      /** What opens it; `nothing`: it is not opened. */
      by: z.enum([
        "role",
        "user",
        "everyone",
        "management",
        "ownership",
        "share",
        "teamShare",
        "team",
        "attendance",
        "nothing",
      ]).optional(),
      /** The permission that opens it. */
      held: z.string().optional(),
      /** The name of the API key that does not open it. */
      key: z.string().optional(),
      /** On the record. */
      level: accessLevel.optional(),
      /** The level that it takes. */
      needed: accessLevel.optional(),
    }).meta({ id: "ExplanationBasis" }),
  })),
}).meta({ id: "Explanation" });
