// Texts of the trash.
import { translated } from "../../state/language.ts";

const counted = (count: number, one: string, many: string) =>
  count === 1 ? one : `${count} ${many}`;

export const texts = translated({
  en: {
    title: "Trash",
    text: "What was deleted, until it is removed for good.",
    search: "Search the trash",
    name: "Name",
    kind: "Kind",
    kinds: { document: "Document", file: "File", folder: "Folder" },
    path: "Where it was",
    size: "Size",
    owner: "Owner",
    deletedBy: "Deleted by",
    deletedAt: "Deleted",
    deletedFrom: "Deleted from",
    gone: "Gone for good",
    nobody: "An account that is gone",
    restore: "Restore",
    restored: (count: number) => counted(count, "Restored", "entries are restored"),
    restoredOne: (name: string) => `“${name}” is back`,
    purge: "Delete for good",
    purgeTitle: (count: number) =>
      count === 1 ? "Delete this for good?" : `Delete ${count} entries for good?`,
    purgeOneTitle: (name: string) => `Delete “${name}” for good?`,
    purgeText: "It cannot be brought back, nor can its history, versions and shares.",
    purged: (count: number) => counted(count, "Deleted for good", "entries are deleted for good"),
    empty: "Empty the trash",
    emptyTitle: "Empty your trash?",
    emptyText: "All that you have in the trash ends for good. What belongs to others stays.",
    emptied: (count: number) =>
      count === 0
        ? "You had nothing in the trash"
        : counted(count, "1 entry is gone for good", "entries are gone for good"),
    refused: (count: number) =>
      counted(count, "1 entry was left as it is", "entries were left as they are"),
    none: "The trash is empty",
    noneText: "Documents and files that are deleted can be brought back from here for a while.",
  },
  zh: {
    title: "回收站",
    text: "已删除的内容保留在这里，直到被彻底清除。",
    search: "搜索回收站",
    name: "名称",
    kind: "类型",
    kinds: { document: "文档", file: "文件", folder: "文件夹" },
    path: "原位置",
    size: "大小",
    owner: "所有者",
    deletedBy: "删除者",
    deletedAt: "删除时间",
    deletedFrom: "删除时间不早于",
    gone: "彻底清除时间",
    nobody: "已不存在的账户",
    restore: "还原",
    restored: (count: number) => count === 1 ? "已还原" : `已还原 ${count} 项`,
    restoredOne: (name: string) => `“${name}”已还原`,
    purge: "彻底删除",
    purgeTitle: (count: number) => count === 1 ? "彻底删除此项？" : `彻底删除 ${count} 项？`,
    purgeOneTitle: (name: string) => `彻底删除“${name}”？`,
    purgeText: "删除后无法恢复，其历史、版本和共享也将一并清除。",
    purged: (count: number) => count === 1 ? "已彻底删除" : `已彻底删除 ${count} 项`,
    empty: "清空回收站",
    emptyTitle: "清空您的回收站？",
    emptyText: "您在回收站中的所有内容将被彻底清除，他人的内容不受影响。",
    emptied: (count: number) => count === 0 ? "您的回收站中没有内容" : `已彻底清除 ${count} 项`,
    refused: (count: number) => `${count} 项未作更改`,
    none: "回收站是空的",
    noneText: "删除的文档和文件在一段时间内可以从这里还原。",
  },
});
