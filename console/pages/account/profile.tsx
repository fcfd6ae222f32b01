// Who one is: picture, name and the like, e-mail address.
import { getCurrentUser, versioned } from "../../../client/mod.ts";
import { Problem } from "../../parts/problem.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useQuery } from "../../state/query.ts";
import { AboutCard } from "./about.tsx";
import { EmailCard } from "./email.tsx";
import { AccountPage } from "./page.tsx";
import { PictureCard } from "./picture.tsx";

export default function Profile() {
  const { data, error, refetch } = useQuery(
    ["users", "me"],
    (signal) => versioned(getCurrentUser({ responseStyle: "fields", signal } as never)),
  );
  return (
    <AccountPage tab="profile">
      {data
        ? (
          <>
            <PictureCard user={data.data} />
            <AboutCard user={data.data} etag={data.etag} />
            <EmailCard user={data.data} />
          </>
        )
        : error
        ? <Problem error={error} retry={refetch} />
        : (
          <>
            <Skeleton block="8rem" />
            <Skeleton block="31rem" />
            <Skeleton block="7rem" />
          </>
        )}
    </AccountPage>
  );
}
