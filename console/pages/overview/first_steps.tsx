// What to do first with a new server.
import type { DashboardStats } from "../../../client/mod.ts";
import { Card } from "../../parts/card.tsx";
import { classes } from "../../parts/classes.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { place, serves } from "../../state/place.ts";
import { can } from "../../state/session.ts";
import { texts } from "./texts.ts";

interface Step {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly href: string;
  readonly done: boolean;
}

/** Whether nobody has begun to use the server yet. */
export function isNew(
  { totalUsers, totalDocuments, totalFiles }: Pick<
    DashboardStats,
    "totalUsers" | "totalDocuments" | "totalFiles"
  >,
): boolean {
  return totalUsers <= 1 || (totalDocuments === 0 && totalFiles === 0);
}

export function FirstSteps({ stats }: { stats: DashboardStats }) {
  const said = texts();
  return (
    <Card title={said.first} text={said.firstText}>
      <div class="steps">
        {stepsOf(stats).map(({ icon, title, text, href, done }) => (
          <a key={href} class={classes("step", done && "step-done")} href={href}>
            <Icon name={done ? "success" : icon} />
            <span class="step-words">
              <span class="strong">
                {title}
                {done && <span class="unseen">: {said.isDone}</span>}
              </span>
              <span class="muted small">{text}</span>
            </span>
          </a>
        ))}
      </div>
    </Card>
  );
}

function stepsOf({ totalUsers, totalDocuments, totalFiles }: DashboardStats): readonly Step[] {
  const said = texts();
  const steps: (Step & { may: boolean })[] = [
    {
      icon: "user-plus",
      title: said.invite,
      text: said.inviteText,
      href: "/users",
      done: totalUsers > 1,
      may: serves("users") && can("users:create"),
    },
    {
      icon: "documents",
      title: said.write,
      text: said.writeText,
      href: "/documents",
      done: totalDocuments > 0,
      may: serves("documents") && can("documents:create"),
    },
    {
      icon: "upload",
      title: said.upload,
      text: said.uploadText,
      href: "/files",
      done: totalFiles > 0,
      may: serves("files") && can("files:create"),
    },
    {
      icon: "external",
      title: said.read,
      text: said.readText,
      href: `${place.api}/docs`,
      done: false,
      may: true,
    },
  ];
  return steps.filter(({ may }) => may);
}
