// Errors about documents, files, messages, events and snippets: the code of each, in English and Chinese.
import type { Texts } from "./texts.ts";

export const contentTexts = {
  file_address_ended: [
    "This address of a file has expired, or was never given: ask for another one",
    "此文件地址已过期或无效：请重新获取",
  ],
  thumbnail_kinds: [
    "There are thumbnails of JPEG, PNG, WebP and GIF, up to {most} bytes",
    "仅支持 JPEG、PNG、WebP 和 GIF 的缩略图，最大 {most} 字节",
  ],
  image_type: [
    "The file is no image in JPEG, PNG, WebP or GIF",
    "该文件不是 JPEG、PNG、WebP 或 GIF 图片",
  ],
  image_large: [
    "The image is too large: at most 25 megapixels, 16,384 pixels a side and 32 scans",
    "图片过大：最多 2500 万像素，每边最多 16384 像素，最多 32 次扫描",
  ],
  image_broken: [
    "The image is broken: it cannot be decoded",
    "图片已损坏：无法解码",
  ],
  images_many: [
    "Too many images at a time: try again shortly",
    "同时处理的图片过多：请稍后重试",
  ],
  documents_large_together: [
    "These documents have {bytes} bytes: at most {most} are deleted together",
    "这些文档共 {bytes} 字节：一次最多删除 {most} 字节",
  ],
  events_large_together: [
    "These events have {count} attendees and reminders: at most {most} end together",
    "这些日程共有 {count} 个参与者和提醒：一次最多结束 {most} 个",
  ],
  document_owner_only: [
    "Only the owner of a document may do this",
    "只有文档的所有者可以执行此操作",
  ],
  document_owner_changes: [
    "Only the owner of a document may change its {what}",
    "只有文档的所有者可以修改其{what}",
  ],
  document_shared_less: [
    "This document is shared with you to {level}: this needs '{asked}'",
    "此文档以 {level} 权限与您共享：此操作需要“{asked}”",
  ],
  document_too_large: [
    "Cannot save the document: with its content it is over {limit} bytes as JSON",
    "无法保存文档：连同内容的 JSON 超过 {limit} 字节",
  ],
  settings_too_large: [
    "Cannot keep the settings: they are over {limit} bytes as JSON",
    "无法保存设置：其 JSON 超过 {limit} 字节",
  ],
  tagged_already: ["The document has this tag already", "文档已有此标签"],
  tags_many: ["A document has at most {most} tags", "文档最多 {most} 个标签"],
  file_owner_only: ["Only the owner of a file may do this", "只有文件的所有者可以执行此操作"],
  file_shared_less: [
    "This file is shared with you to {level}: this needs '{asked}'",
    "此文件以 {level} 权限与您共享：此操作需要“{asked}”",
  ],
  versions_many: [
    "A file has at most {most} versions: delete some first",
    "文件最多 {most} 个版本：请先删除一些",
  ],
  current_version: [
    "The current version cannot be deleted: make another one current first",
    "不能删除当前版本：请先将另一个版本设为当前",
  ],
  file_mislabelled: [
    "Cannot take the file: it is declared as {claim} and holds {held}",
    "无法接收文件：声明为 {claim}，实际为 {held}",
  ],
  file_type_refused: [
    "Cannot take the file: it is {type}, and only {accepted} are accepted",
    "无法接收文件：类型为 {type}，只接受 {accepted}",
  ],
  quota_bytes: [
    "Cannot store {bytes} bytes: {left} bytes are left of the storage quota of {quota}",
    "无法存储 {bytes} 字节：{quota} 的存储配额还剩 {left} 字节",
  ],
  quota_records: [
    "You have {most} records, as many as one user may have: delete some first",
    "您已有 {most} 条记录，达到每位用户的上限：请先删除一些",
  ],
  foreign_folder: [
    "Cannot put this into '{name}': the folder has another owner",
    "无法放入“{name}”：该文件夹属于其他人",
  ],
  folder_into_itself: ["Cannot move '{name}' into itself", "无法将“{name}”移动到其自身"],
  folder_not_empty: [
    "Cannot delete '{name}': it holds {files} files and {folders} folders; delete them too with ?recursive=true",
    "无法删除“{name}”：其中有 {files} 个文件和 {folders} 个文件夹；使用 ?recursive=true 一并删除",
  ],
  conversation_empty: [
    "Nobody else is left in this conversation",
    "此会话中已没有其他人",
  ],
  recipient_reads: [
    "Only a recipient marks a message as read",
    "只有收件人可以将消息标记为已读",
  ],
  event_owner_changes: ["Only its owner changes an event", "只有所有者可以修改日程"],
  event_owner_invites: ["Only its owner invites to an event", "只有所有者可以邀请他人参加日程"],
  event_owner_removes: [
    "Only its owner takes others out of an event",
    "只有所有者可以将他人移出日程",
  ],
  attendees_many: ["An event has at most {most} attendees", "日程最多 {most} 名参与者"],
  attends_already: ["They attend already", "对方已在参与者中"],
  checked_in: ["You have already checked in today", "您今天已经签到"],
  check_in_foreign: [
    "Cannot check in: the request comes from another site",
    "无法签到：请求来自另一个站点",
  ],
  markdown_not_converted: [
    "Cannot convert the Markdown: {problem}",
    "无法转换 Markdown：{problem}",
  ],
  text_over_limit: [
    "The text is over {limit} bytes: it has {bytes}",
    "文本超过 {limit} 字节：共 {bytes} 字节",
  ],
  conversions_many: [
    "Too many conversions at a time: try again shortly",
    "同时进行的转换过多：请稍后重试",
  ],
  snippets_quota: [
    "Cannot share the snippet: it has {size} bytes, and {left} are left of your quota; remove others first",
    "无法分享片段：其大小为 {size} 字节，您的配额还剩 {left}；请先移除其他片段",
  ],
  snippets_room: [
    "Cannot share the snippet: there is no room for snippets without an owner; sign in, or try again later",
    "无法分享片段：没有空间存放无主片段；请登录，或稍后再试",
  ],
  metrics_closed: [
    "The metrics are closed: set METRICS_TOKEN to open them",
    "指标未开放：请设置 METRICS_TOKEN",
  ],
  metrics_token: [
    "The metrics need the token that METRICS_TOKEN sets",
    "指标需要 METRICS_TOKEN 所设置的令牌",
  ],
  changes_many: [
    "You have made {most} changes, as many as in a day",
    "您已做了 {most} 次更改，达到每日上限",
  ],
} as const satisfies Texts;
