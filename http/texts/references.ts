// What a field names that is not there, and what fields say together: the code of each problem, in English and Chinese.
import type { Texts } from "./texts.ts";

export const referenceTexts = {
  no_such_user: ["there is no active user '{id}'", "没有已启用的用户“{id}”"],
  no_such_role: ["there is no role '{name}'", "没有角色“{name}”"],
  no_such_permission: ["there is no permission '{name}'", "没有权限“{name}”"],
  no_such_folder: ["there is no folder '{id}'", "没有文件夹“{id}”"],
  no_such_folder_in: ["there is no folder '{name}' in '{path}'", "“{path}”中没有文件夹“{name}”"],
  no_such_tag: ["there is no tag '{id}'", "没有标签“{id}”"],
  no_such_team: ["there is no team '{id}' that you are in", "没有您所在的团队“{id}”"],
  no_such_conversation: ["there is no such conversation", "没有这个会话"],
  owned_already: ["the {what} belongs to '{id}' already", "该{what}已经属于“{id}”"],
  to_oneself: ["you cannot write to yourself alone", "不能只给自己发消息"],
  folders_too_deep: [
    "folders go at most {most} deep, this would be {depth}",
    "文件夹最多 {most} 层，这将达到 {depth} 层",
  ],
  event_ends_early: [
    "the event cannot end ({end}) before it starts ({start})",
    "日程不能在开始（{start}）之前结束（{end}）",
  ],
  range_ends_early: [
    "the range cannot end ({end}) before it starts ({start})",
    "时间范围不能在开始（{start}）之前结束（{end}）",
  ],
  event_started: ["the event has started already", "日程已经开始"],
  answers_for_others: [
    "others answer for themselves: they start as pending",
    "其他人自行答复：初始状态为待定",
  ],
  either: ["give either {one} or {other}", "请给出 {one} 或 {other} 之一"],
  one_of: ["give one of {names}", "请给出其中之一：{names}"],
  exactly_one_of: ["give exactly one of {names}", "请恰好给出其中之一：{names}"],
  give: ["give {names}", "请给出 {names}"],
  password_or_new: [
    "give the password of the account, or else newPassword",
    "请给出账户的密码，否则给出 newPassword",
  ],
  together: ["resource and id go together", "resource 和 id 必须同时给出"],
  password_in_use: [
    "Cannot set your own password here: POST /auth/change-password takes the current one too",
    "不能在此修改自己的密码：请使用 POST /auth/change-password，并提供当前密码",
  ],
  email_in_use: [
    "Cannot change your own e-mail here: PUT /users/me takes the current password too",
    "不能在此修改自己的电子邮件：请使用 PUT /users/me，并提供当前密码",
  ],
  current_password_needed: [
    "Your current password is needed to change your e-mail",
    "修改电子邮件需要您的当前密码",
  ],
  password_wrong: ["The password is wrong", "密码错误"],
  current_password_wrong: ["The current password is wrong", "当前密码错误"],
  passkey_late: [
    "The passkey was not made for this request, or too late: try again",
    "通行密钥不是为此请求创建的，或已超时：请重试",
  ],
  passkey_elsewhere: [
    "Passkeys are used at {places} alone (PUBLIC_URL, FRONTEND_URL), and in no frame of another place",
    "通行密钥只能在 {places} 使用（PUBLIC_URL、FRONTEND_URL），且不能在其他站点的框架中使用",
  ],
  passkey_not_yours: [
    "The passkey is not one of yours, or its answer too late",
    "该通行密钥不属于您，或其响应已超时",
  ],
  passkey_not_of_account: [
    "The passkey is not one of this account, or its answer too late",
    "该通行密钥不属于此账户，或其响应已超时",
  ],
  provider_code_wrong: [
    "The code is wrong, used or too old, or another browser began the sign-in: begin anew",
    "代码错误、已使用或已过期，或登录由另一个浏览器发起：请重新开始",
  ],
  second_factor_code_wrong: [
    "The code is wrong or was used: take the one that is shown now",
    "验证码错误或已使用：请使用当前显示的验证码",
  ],
  taken_without_upsert: [
    "is taken: upsert=email changes who has it",
    "已被占用：upsert=email 将更新已有者",
  ],
  user_going: ["the account is being deleted", "该账户正在被删除"],
  invited_many: ["one import invites at most {most} people", "一次导入最多邀请 {most} 人"],
  in_another_row: ["is that of row {row} too", "与第 {row} 行相同"],
  import_tags_distinct: [
    "one import has at most {most} different tags",
    "一次导入最多 {most} 个不同的标签",
  ],
  import_tags_many: [
    "one import has at most {most} tags on all its documents",
    "一次导入的所有文档最多共 {most} 个标签",
  ],
  content_long: ["is over {limit} bytes as JSON", "其 JSON 超过 {limit} 字节"],
  import_keeps_role: [
    "an import does not change the role of a user",
    "导入不会修改用户的角色",
  ],
  import_keeps_status: [
    "an import does not change the status of a user",
    "导入不会修改用户的状态",
  ],
} as const satisfies Texts;
