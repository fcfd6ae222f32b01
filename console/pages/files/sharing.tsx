// With whom a file is shared.
import {
  deleteFileShare,
  type File as FileShown,
  listFileShares,
  shareFile,
} from "../../../client/mod.ts";
import { Sharing } from "../../parts/sharing.tsx";

interface FileSharingProps {
  readonly file: FileShown;
  readonly onClose: () => void;
}

/** Files have no comments. */
const LEVELS = ["read", "edit"] as const;

export function FileSharing({ file: { id, name, ownerId }, onClose }: FileSharingProps) {
  const path = { id };
  return (
    <Sharing
      collection="files"
      id={id}
      name={name}
      ownerId={ownerId}
      levels={LEVELS}
      read={async (signal) => {
        const { data } = await listFileShares({
          path,
          query: { include: ["user", "team"] },
          signal,
        });
        return data;
      }}
      give={(body) => shareFile({ path, body })}
      end={(shareId) => deleteFileShare({ path: { id, shareId } })}
      onClose={onClose}
    />
  );
}
