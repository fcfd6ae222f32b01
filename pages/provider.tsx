// What someone sees who comes back from a provider where no application of their own takes over.
import type { PageLink } from "./forms.tsx";
import { type Assets, CardPage } from "./layout.tsx";

export function ProviderPage(
  { assets, message, exit }: {
    readonly assets: Assets;
    readonly message: string;
    readonly exit: PageLink;
  },
) {
  return (
    <CardPage assets={assets} title="Sign in">
      <p class="lead">{message}</p>
      <p class="links">
        <a href={exit.href}>{exit.label}</a>
      </p>
    </CardPage>
  );
}
