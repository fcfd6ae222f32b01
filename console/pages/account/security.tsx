// How one signs in: password, second factor, passkeys, other services.
import { getSecondFactors } from "../../../client/mod.ts";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useQuery } from "../../state/query.ts";
import { FactorCard } from "./factor.tsx";
import { AccountPage } from "./page.tsx";
import { PasskeysCard } from "./passkeys.tsx";
import { PasswordCard } from "./password.tsx";
import { ProvidersCard } from "./providers.tsx";

export default function Security() {
  const { data, error, refetch } = useQuery(
    ["secondFactors"],
    async (signal) => (await getSecondFactors({ signal })).data,
  );
  return (
    <AccountPage tab="security">
      <PasswordCard />
      {data
        ? <FactorCard state={data} />
        : error
        ? <Problem error={error} retry={refetch} />
        : <Skeleton block="13rem" />}
      <PasskeysCard />
      <ProvidersCard />
    </AccountPage>
  );
}
