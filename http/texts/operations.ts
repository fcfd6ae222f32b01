// What may be wrong with requests about the server itself: backups. The code of each error, in English and Chinese.
import type { Texts } from "./texts.ts";

export const operationTexts = {
  backup_impossible: ["Cannot back up: {problem}", "无法备份：{problem}"],
  backup_by_other_means: [
    "a store in memory, or on Deno Deploy, is backed up by its own means",
    "内存中或 Deno Deploy 上的存储需用其自身的方式备份",
  ],
  backup_by_old_runtime: [
    "Deno {version} copies no file in use: it takes a later version, such as {later}",
    "Deno {version} 无法复制使用中的文件：需要更高版本，例如 {later}",
  ],
  backup_running: [
    "A backup is being made: wait until it is done",
    "正在创建备份：请等待其完成",
  ],
  backup_bucket: [
    "The bucket of the backups cannot be reached: try again shortly",
    "无法连接存放备份的存储桶：请稍后重试",
  ],
  backup_super_admin: ["Only a super_admin downloads backups", "只有 super_admin 可以下载备份"],
} as const satisfies Texts;
