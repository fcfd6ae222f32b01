// With whom a document is shared.
import {
  deleteDocumentShare,
  type Document,
  listDocumentShares,
  shareDocument,
} from "../../../client/mod.ts";
import { Sharing } from "../../parts/sharing.tsx";

interface DocumentSharingProps {
  readonly document: Document;
  readonly onClose: () => void;
}

export function DocumentSharing({ document, onClose }: DocumentSharingProps) {
  const { id, title, ownerId } = document;
  const path = { id };
  return (
    <Sharing
      collection="documents"
      id={id}
      name={title}
      ownerId={ownerId}
      read={async (signal) => {
        const { data } = await listDocumentShares({
          path,
          query: { include: ["user", "team"] },
          signal,
        });
        return data;
      }}
      give={(body) => shareDocument({ path, body })}
      end={(shareId) => deleteDocumentShare({ path: { id, shareId } })}
      onClose={onClose}
    />
  );
}
