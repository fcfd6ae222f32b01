// The page at the root: what this is, and where to go.
import { type Assets, CardPage } from "./layout.tsx";

export interface Places {
  /** Base path of the API. */
  readonly api: string;
  readonly docs: string;
  readonly openapi: string;
  readonly health: string;
  /** Where people sign in to the console, where it is served. */
  readonly signIn?: string;
  /** The application that people use, where one is named. */
  readonly frontend?: string;
}

export function StartPage({ assets, places }: { assets: Assets; places: Places }) {
  const { api, docs, openapi, health, frontend } = places;
  return (
    <CardPage
      assets={assets}
      title="This is a Quarterdeck server"
      lead="It is the backend of an admin dashboard: programs talk to it, and people use it through an application."
    >
      <p class="actions">
        {frontend && <a class="button" href={frontend}>Open the application</a>}
        <a class={frontend ? "button quiet" : "button"} href={docs}>Read about the API</a>
      </p>
      <dl class="places">
        <dt>API</dt>
        <dd>
          <code>{api}</code>
        </dd>
        <dt>OpenAPI document</dt>
        <dd>
          <a href={openapi}>{openapi}</a>
        </dd>
        <dt>Health</dt>
        <dd>
          <a href={health}>{health}</a>
        </dd>
      </dl>
      <p class="links">
        <a href="/forgot-password">Forgot your password?</a>
      </p>
    </CardPage>
  );
}
