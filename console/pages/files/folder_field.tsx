// Choosing a folder, and what is known of somebody's folders.
import { type Folder, listFolders } from "../../../client/mod.ts";
import { Select } from "../../parts/field.tsx";
import { serves } from "../../state/place.ts";
import { type QueryResult, useQuery } from "../../state/query.ts";
import { user as self } from "../../state/session.ts";
import { everyFolder } from "./places.ts";
import { texts } from "./texts.ts";

/** Somebody's folders as a tree. @param ownerId One's own where it is not given. */
export function useFolders(ownerId?: string): QueryResult<readonly Folder[]> {
  const id = ownerId ?? self.value?.id ?? "";
  return useQuery(["folders", id], async (signal) => {
    const query = id === self.peek()?.id ? {} : { ownerId: [id] };
    const { data } = await listFolders({ query: query as never, signal });
    return data;
  }, { enabled: serves("folders") && id !== "", keep: false });
}

interface FolderFieldProps {
  label: string;
  folders: readonly Folder[];
  /** A folder that cannot be chosen, with all in it. */
  without?: string;
  /** The id; empty is the top. */
  value: string;
  error?: string;
  name?: string;
  onChange: (value: string) => void;
}

export function FolderField({ folders, without, ...field }: FolderFieldProps) {
  const options = everyFolder(folders, without).map(({ id, path }) => ({ value: id, label: path }));
  return <Select {...field} placeholder={texts().place.root} options={options} />;
}
