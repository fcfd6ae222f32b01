// The columns of the list of documents.
import type { DocumentSummary } from "../../../client/mod.ts";
import { Badge } from "../../parts/badge.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Person } from "../../parts/person.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { compactNumber, fileSize } from "../../state/format.ts";
import { texts } from "./texts.ts";
import { TypeIcon } from "./types.tsx";

/** Tags that a row shows. */
const TAGS = 2;

export function documentColumns(): readonly Column<DocumentSummary>[] {
  const { fields, types, shared: isShared } = texts();
  return [
    {
      id: "title",
      title: fields.title,
      sortable: true,
      render: ({ type, title, shared }) => (
        <span class="named">
          <TypeIcon type={type} />
          <span class="cut">{title}</span>
          {shared && <Icon name="teams" size={14} label={isShared} />}
        </span>
      ),
    },
    {
      id: "folder",
      title: fields.folder,
      width: "9rem",
      render: ({ folder }) => (
        <span class="cut muted" title={folder}>
          <bdi dir="ltr">{folder}</bdi>
        </span>
      ),
    },
    {
      id: "tags",
      title: fields.tags,
      width: "11rem",
      render: ({ tags }) => <TagList names={tags.map(({ name }) => name)} most={TAGS} />,
    },
    {
      id: "owner",
      title: fields.owner,
      width: "11rem",
      render: ({ owner }) =>
        owner ? <Person name={owner.name} src={owner.avatar} size="s" /> : null,
    },
    {
      id: "type",
      title: fields.type,
      sortable: true,
      hidden: true,
      width: "8rem",
      render: ({ type }) => types[type],
    },
    {
      id: "size",
      title: fields.size,
      sortable: true,
      width: "6rem",
      align: "end",
      render: ({ size }) => <span class="number">{fileSize(size)}</span>,
    },
    {
      id: "views",
      title: fields.views,
      width: "4.5rem",
      align: "end",
      render: ({ views }) => <span class="number">{compactNumber(views)}</span>,
    },
    {
      id: "createdAt",
      title: fields.created,
      sortable: true,
      hidden: true,
      width: "9rem",
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: "updatedAt",
      title: fields.updated,
      sortable: true,
      width: "9rem",
      render: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ];
}

export function TagList(
  { names, most = Infinity }: { readonly names: readonly string[]; readonly most?: number },
) {
  const rest = names.slice(most);
  return (
    <span class="tag-list">
      {names.slice(0, most).map((name) => (
        <Badge key={name}>
          <span class="cut">{name}</span>
        </Badge>
      ))}
      {rest.length > 0 && <Badge title={rest.join(", ")}>+{rest.length}</Badge>}
    </span>
  );
}
