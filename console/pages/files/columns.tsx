// The columns of the list of files.
import type { File as FileShown, Person as PersonShown } from "../../../client/mod.ts";
import { Icon } from "../../parts/icon.tsx";
import { Person } from "../../parts/person.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { fileSize } from "../../state/format.ts";
import { texts } from "./texts.ts";
import { Thumbnail } from "./thumbnail.tsx";

/** A file as the list reads it. */
export type FileRow = FileShown & { readonly owner?: PersonShown };

function FileName({ file }: { file: FileRow }) {
  return (
    <span class="file-name">
      <Thumbnail file={file} />
      <span class="cut strong">{file.name}</span>
      {file.isFavorite && (
        <span class="file-star" title={texts().fields.favorite}>
          <Icon name="star" size={14} />
          <span class="unseen">{texts().fields.favorite}</span>
        </span>
      )}
    </span>
  );
}

export function fileColumns(): readonly Column<FileRow>[] {
  const { fields, types } = texts();
  return [
    {
      id: "name",
      title: fields.name,
      sortable: true,
      csv: ({ name }) => name,
      render: (file) => <FileName file={file} />,
    },
    {
      id: "type",
      title: fields.type,
      sortable: true,
      width: "7rem",
      csv: ({ type }) => type,
      render: ({ type }) => types[type],
    },
    {
      id: "size",
      title: fields.size,
      sortable: true,
      align: "end",
      width: "6.5rem",
      csv: ({ size }) => size,
      render: ({ size }) => <span class="number">{fileSize(size)}</span>,
    },
    {
      id: "owner",
      title: fields.owner,
      width: "10rem",
      csv: ({ owner }) => owner?.name,
      render: ({ owner }) => owner && <Person name={owner.name} src={owner.avatar} size="s" />,
    },
    {
      id: "updatedAt",
      title: fields.updatedAt,
      sortable: true,
      width: "9rem",
      csv: ({ updatedAt }) => updatedAt,
      render: ({ updatedAt }) => <Time at={updatedAt} />,
    },
    {
      id: "path",
      title: fields.path,
      width: "14rem",
      hidden: true,
      csv: ({ path }) => path,
      render: ({ path }) => <span class="cut">{path}</span>,
    },
    {
      id: "mimeType",
      title: fields.mimeType,
      width: "11rem",
      hidden: true,
      csv: ({ mimeType }) => mimeType,
      render: ({ mimeType }) => <span class="cut">{mimeType}</span>,
    },
    {
      id: "createdAt",
      title: fields.createdAt,
      sortable: true,
      width: "9rem",
      hidden: true,
      csv: ({ createdAt }) => createdAt,
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
}
