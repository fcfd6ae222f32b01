// The columns of the trash.
import type { TrashEntry } from "../../../client/mod.ts";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Person } from "../../parts/person.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { fileSize } from "../../state/format.ts";
import { texts } from "./texts.ts";

const ICONS: Readonly<Record<TrashEntry["kind"], IconName>> = {
  document: "documents",
  file: "files",
  folder: "folder",
};

export function trashColumns(): readonly Column<TrashEntry>[] {
  const said = texts();
  return [
    {
      id: "name",
      title: said.name,
      sortable: true,
      render: ({ kind, name }) => (
        <span class="named">
          <Icon name={ICONS[kind]} label={said.kinds[kind]} />
          <span class="cut">{name}</span>
        </span>
      ),
      csv: ({ name }) => name,
    },
    {
      id: "path",
      title: said.path,
      width: "14rem",
      render: ({ path }) => (
        <span class="cut muted" title={path}>
          <bdi dir="ltr">{placeOf(path)}</bdi>
        </span>
      ),
      csv: ({ path }) => path,
    },
    {
      id: "size",
      title: said.size,
      sortable: true,
      width: "7rem",
      align: "end",
      render: ({ size }) => <span class="number">{fileSize(size)}</span>,
      csv: ({ size }) => size,
    },
    {
      id: "deletedBy",
      title: said.deletedBy,
      width: "11rem",
      render: ({ deletedBy }) =>
        deletedBy
          ? <Person name={deletedBy.name} src={deletedBy.avatar} size="s" />
          : <span class="muted cut">{said.nobody}</span>,
      csv: ({ deletedBy }) => deletedBy?.name,
    },
    {
      id: "deletedAt",
      title: said.deletedAt,
      sortable: "createdAt",
      width: "9rem",
      render: ({ deletedAt }) => <Time at={deletedAt} />,
      csv: ({ deletedAt }) => deletedAt,
    },
    {
      id: "expiresAt",
      title: said.gone,
      sortable: true,
      width: "9rem",
      render: ({ expiresAt }) => <Time at={expiresAt} />,
      csv: ({ expiresAt }) => expiresAt,
    },
  ];
}

/** The folder of a path: `/` at the root. */
function placeOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
