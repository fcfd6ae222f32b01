// The rule for new passwords. Imports zod only.
import { z } from "zod";

/** NIST SP 800-63B: length is what counts; the minimum is the contract's, and nothing is truncated. */
export const password = z.string().min(6, "must have at least 6 characters").max(
  128,
  "must have at most 128 characters",
);
