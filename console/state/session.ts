// Who is signed in, and what they may do.
import { computed, signal } from "@preact/signals";
import {
  type ApiError,
  browserStorage,
  connect,
  getCurrentUser,
  memoryStorage,
  type Tokens,
  type TokenStorage,
  type User,
} from "../../client/mod.ts";
import { place } from "./place.ts";
import { queries } from "./query.ts";
import { createTransport, secondFactorAsked, withoutReadings } from "./transport.ts";

/** Somebody whom an administrator acts as, in this tab alone. */
interface Impersonation extends Tokens {
  readonly name: string;
}

const IMPERSONATION = "quarterdeck.impersonation";

/** The name of whom an administrator acts as; null otherwise. */
export const impersonating = signal<string | null>(impersonation()?.name ?? null);

function impersonation(): Impersonation | null {
  try {
    return JSON.parse(sessionStorage.getItem(IMPERSONATION) ?? "null");
  } catch {
    return null;
  }
}

function impersonate(kept: Impersonation | null): void {
  if (kept) sessionStorage.setItem(IMPERSONATION, JSON.stringify(kept));
  else if (impersonating.peek() !== null) sessionStorage.removeItem(IMPERSONATION);
  impersonating.value = kept?.name ?? null;
}

/** One's own tokens, and in their place those of whom one acts as. When those end, one is oneself again. */
function tokenStorage(): TokenStorage {
  const own = ownStorage();
  return {
    ...own,
    get: () => impersonation() ?? own.get(),
    set(tokens) {
      const acting = impersonating.peek() !== null;
      impersonate(null);
      if (tokens || !acting) own.set(tokens);
    },
  };
}

function ownStorage(): TokenStorage {
  try {
    return browserStorage();
  } catch {
    return memoryStorage();
  }
}

/** The refresh token stays in a cookie that no script reads. */
export const connection = connect({
  baseUrl: place.api,
  storage: tokenStorage(),
  refreshCookie: true,
  fetch: createTransport({
    mayProve: () => impersonating.peek() === null,
    // It is gone, though no event has told so yet.
    onMissing: (permission) => void (can(permission) && loadUser().catch(() => {})),
  }),
});
export const { session } = connection;

/** Undefined until it is known, and while one signs out; null where nobody is signed in. */
export const user = signal<User | null | undefined>(undefined);

export const permissions = computed<readonly string[]>(() => user.value?.permissions ?? []);

/** Whether the signed-in user holds one of the permissions; `*` and `users:*` hold what they stand for. */
export function can(...required: readonly string[]): boolean {
  return required.some((one) => {
    const [resource] = one.split(":");
    return permissions.value.some((held) =>
      held === one || held === "*" || held === `${resource}:*`
    );
  });
}

/** Asks the server who is signed in. @throws {ApiError} where it cannot be reached */
export async function loadUser(): Promise<void> {
  if (!session.signedIn) return nobody();
  try {
    user.value = (await getCurrentUser()).data;
  } catch (error) {
    if ((error as ApiError).status !== 401) throw error;
    session.end();
    nobody();
  }
}

/** Whether the session ended while somebody was signed in here, not by their own doing. */
export const sessionEnded = signal(false);

function nobody(): void {
  if (user.peek()) sessionEnded.value = true;
  user.value = null;
}

/** Begins a session with what a way of signing in answers. */
export async function begin(opened: Parameters<typeof session.begin>[0]): Promise<void> {
  session.begin(opened);
  secondFactorAsked.value = false;
  signedOut.value = false;
  sessionEnded.value = false;
  queries.clear();
  await loadUser();
}

/** Whether somebody has signed out here, and nobody in again: the way back is not for the next one. */
export const signedOut = signal(false);

export async function signOut(): Promise<void> {
  signedOut.value = impersonating.peek() === null;
  // First all ends that asks with the session: what is under way when it ends is refused, and so is what a page begins that
  // is still shown.
  user.value = undefined;
  await withoutReadings(() => connection.signOut());
  queries.clear();
  await loadUser();
}

/** Acts as somebody else, in this tab alone. The page begins anew: nothing of what one sees oneself stays in it. */
export function actAs(
  { accessToken, expiresIn, user: { name } }: {
    accessToken: string;
    expiresIn: number;
    user: { name: string };
  },
): void {
  impersonate({ accessToken, expiresAt: Date.now() + expiresIn * 1000, name });
  location.assign("/");
}

/** Is oneself again. */
export function stopActing(): void {
  impersonate(null);
  location.assign("/");
}
