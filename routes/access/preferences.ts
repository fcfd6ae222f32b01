// One's own settings of user interfaces: a small JSON object for each user, which only they read and change.
import { assertMatch } from "../../http/conditional.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ApiError } from "../../core/errors.ts";
import { JsonText } from "../../core/json.ts";
import { utf8Length } from "../../core/text.ts";
import { KIB } from "../../core/units.ts";
import {
  MAX_PREFERENCES,
  type Preferences,
  preferences,
  preferencesUpdate,
  publicPreferences,
} from "../../models/preferences.ts";

const tag = "Users";
const path = "/users/me/preferences";

const show = endpoint({
  operationId: "getPreferences",
  method: "get",
  path,
  tag,
  summary: "One's own settings of user interfaces",
  description: "Whatever was put there; an empty object before anything was.",
  access: "authenticated",
  beforeSecondFactor: true,
  data: publicPreferences,
  async handle({ store, principal }) {
    return answerOf(await store.from(preferences).get(principal.user.id));
  },
});

const save = endpoint({
  operationId: "updatePreferences",
  method: "put",
  path,
  tag,
  summary: "Keep settings of user interfaces",
  description:
    "An object such as {theme, language, views}: it means nothing to the server. PUT replaces all of it; PATCH changes " +
    "the keys that it names and leaves the others. A key that is null is removed. At most 16 KiB of JSON, ten objects " +
    "and lists deep.",
  access: "authenticated",
  ownSession: true,
  body: preferencesUpdate,
  // As sent it may have white space, and escapes in place of characters.
  bodyLimit: 96 * KIB,
  data: publicPreferences,
  errors: ["PRECONDITION_FAILED"],
  async handle(call) {
    const merges = call.context.req.method === "PATCH";
    const saved = await call.transact(async (tx) => {
      const userId = call.principal.user.id;
      const before = await tx.from(preferences).get(userId);
      assertMatch(call, versionOf(before));
      const kept = merges && before ? JSON.parse(before.json) : {};
      const json = textOf({ ...kept, ...call.body });
      if (before) return tx.update(preferences, before, { json });
      return tx.insert(preferences, { id: userId, userId, json });
    });
    return { ...answerOf(saved), message: "Your settings are saved" };
  },
});

/** @throws {ApiError} PAYLOAD_TOO_LARGE for more than may be kept. */
function textOf(values: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(values).filter(([, value]) => value !== null);
  const json = JSON.stringify(Object.fromEntries(set));
  if (utf8Length(json) <= MAX_PREFERENCES) return json;
  const message = `Cannot keep the settings: they are over ${MAX_PREFERENCES} bytes as JSON`;
  throw new ApiError("PAYLOAD_TOO_LARGE", message);
}

function answerOf(kept: Preferences | null) {
  return { data: new JsonText(kept?.json ?? "{}"), etag: versionOf(kept) };
}

/** Before anything was kept there is a version too, for If-Match. */
function versionOf(kept: Preferences | null): string {
  return kept?.rev ?? "none";
}

export const preferenceRoutes = [show, save];
