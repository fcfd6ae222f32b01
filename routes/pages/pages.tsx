// The pages of variants that have a user interface. Each checks that the caller is signed in and holds its permission.
import { wordsFor } from "../../http/words.ts";
import type { Context, Hono } from "hono";
import type { Permission } from "../../http/endpoint.ts";
import { ApiError } from "../../core/errors.ts";
import { publicStats, type Task, tasks } from "../../models/dashboard.ts";
import { roles } from "../../models/roles.ts";
import { type User, userListQuery, users } from "../../models/users.ts";
import { type DashboardData, DashboardPage } from "../../pages/dashboard.tsx";
import { ErrorPage } from "../../pages/forms.tsx";
import { type UsersData, UsersPage } from "../../pages/users.tsx";
import { permits, type Principal } from "../../services/access/access.ts";
import { listing, pagination } from "../../http/lists.ts";
import { needsSecondFactor } from "../../services/accounts/second_factors.ts";
import { loginPath } from "../../services/accounts/redirects.ts";
import { dayOf, scheduleOf } from "../../services/calendar/schedule.ts";
import type { Services } from "../../services/services.ts";
import {
  dailyVisits,
  filesByType,
  monthlySales,
  statistics,
} from "../../services/dashboard/statistics.ts";
import { DASHBOARD_ACCESS } from "../../services/access/access.ts";
import { fromZod } from "./form_answers.ts";
import { HOME, html, principalOf, seeOther, type Site } from "./page_answers.tsx";
import { mountSecondFactor, SECOND_FACTOR } from "./second_factor_pages.tsx";
import { mountLogin, mountLogout, mountRegister } from "./sign_in_pages.tsx";

/** Mounts the pages of the user interface and, last, the page that browsers get for an unknown address. */
export function mountPages(app: Hono, site: Site): void {
  const { services, assets, home } = site;
  mountLogin(site);
  mountLogout(site);
  mountRegister(site);
  mountSecondFactor(site);

  forHolders(site, HOME, DASHBOARD_ACCESS, async (c, principal) => {
    const data = await dashboardData(services, principal);
    return html(c, <DashboardPage assets={assets} principal={principal} data={data} />);
  });
  forHolders(site, "/users", ["users:view"], async (c, principal) => {
    const data = await usersData(services, c.req.query());
    return html(c, <UsersPage assets={assets} principal={principal} data={data} />);
  });

  app.get("/*", (c) => {
    const forBrowser = c.req.header("accept")?.includes("text/html") ?? false;
    if (!forBrowser || c.req.path.startsWith(`${services.settings.basePath}/`)) return c.notFound();
    const message = "There is nothing at this address.";
    return html(
      c,
      <ErrorPage assets={assets} title="Not found" message={message} home={home} />,
      404,
    );
  });
}

/** Mounts a page for those who have at least one of the permissions. */
function forHolders(
  { services, serve }: Site,
  path: string,
  access: readonly Permission[],
  handle: (c: Context, principal: Principal) => Promise<Response>,
): void {
  serve("GET", path, async (c) => {
    const principal = await principalOf(c, services);
    if (!principal) return seeOther(c, loginPath(path));
    const { user, session } = principal;
    if (!session?.secondFactor && needsSecondFactor(services.settings, user)) {
      return seeOther(c, SECOND_FACTOR);
    }
    services.visits.view();
    if (access.some((asked) => permits(principal.permissions, asked))) {
      return await handle(c, principal);
    }
    throw new ApiError("FORBIDDEN");
  });
}

/** How much the dashboard shows: days of the visit chart, months of the sales chart, and tasks. */
const SHOWN = { days: 14, months: 12, tasks: 6 };

async function dashboardData(services: Services, { user }: Principal): Promise<DashboardData> {
  const { store } = services;
  const now = services.clock();
  const open: readonly Task["status"][] = ["pending", "in_progress"];
  const [stats, visits, sales, files, openTasks, events] = await Promise.all([
    statistics(store, now),
    dailyVisits(store, now, SHOWN.days),
    monthlySales(store, now, SHOWN.months),
    filesByType(store),
    store.from(tasks).list({ where: { status: open }, sort: "dueDate", limit: SHOWN.tasks }),
    scheduleOf(store, user.id, dayOf(now, "UTC")),
  ]);
  const figures = publicStats.parse(JSON.parse(stats.text));
  return { now, stats: figures, visits, sales, files, tasks: openTasks.rows, events };
}

async function usersData(
  { store }: Services,
  query: Record<string, string>,
): Promise<UsersData> {
  const parsed = userListQuery.safeParse(query, { error: wordsFor });
  if (!parsed.success) throw fromZod(parsed.error);
  const paging = listing<User>(parsed.data);
  const { where } = parsed.data;
  const [page, allRoles] = await Promise.all([
    store.from(users).list({ ...paging, where }),
    store.from(roles).list({ limit: 100 }),
  ]);
  return {
    rows: page.rows,
    roleLabels: new Map(allRoles.rows.map(({ name, label }) => [name, label])),
    pagination: pagination(paging, page),
    search: paging.search ?? "",
  };
}
