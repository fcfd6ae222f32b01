// What is shown until it is known who is signed in, and where the server cannot be reached for that; then the frame.
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { pageAt } from "../pages.ts";
import { loadUser, user } from "../state/session.ts";
import { Problem } from "../parts/problem.tsx";
import { BulkProgress } from "../parts/bulk_progress.tsx";
import { Toasts } from "../parts/toast.tsx";
import { Frame } from "./frame.tsx";
import { useGuardedPage } from "./leaving.ts";
import { Outlet } from "./outlet.tsx";
import { StepUp } from "./step_up.tsx";

export function Start() {
  const { path } = useLocation();
  const [failure, fail] = useState<unknown>(null);
  const load = () => {
    fail(null);
    loadUser().catch(fail);
  };
  useEffect(load, []);
  useGuardedPage();

  if (failure) {
    return (
      <main class="alone">
        <Problem error={failure} retry={load} />
      </main>
    );
  }
  if (user.value === undefined) return <div class="starting" aria-hidden="true" />;
  const page = pageAt(path);
  // Until a second factor is set up there is nothing else to go to.
  const framed = user.value && !(page && ("public" in page || page.id === "secondFactor"));
  return (
    <>
      {framed
        ? (
          <Frame>
            <Outlet />
          </Frame>
        )
        : (
          <main id="main" class="alone" tabindex={-1}>
            <Outlet />
          </main>
        )}
      <StepUp />
      <BulkProgress />
      <Toasts />
    </>
  );
}
