// Errors of signing in, of accounts, roles and teams: the code of each, in English and Chinese.
import type { Texts } from "./texts.ts";

export const accountTexts = {
  credentials_wrong: ["E-mail or password is wrong", "电子邮件或密码错误"],
  account_disabled: [
    "Your account is disabled: ask an administrator",
    "您的账户已停用：请联系管理员",
  ],
  webhooks_full: [
    "There are {most} webhooks, as many as may be: delete one first",
    "已有 {most} 个 Webhook，达到上限：请先删除一个",
  ],
  webhook_of_another: [
    "Only its owner may do that: you may stop this webhook, or delete it",
    "仅其所有者可以这样做：您可以停用或删除此 Webhook",
  ],
  setup_elsewhere: [
    "The administrator is named from the machine that the server runs on",
    "只能在运行服务器的机器上指定管理员",
  ],
  setup_done: [
    "This server has an administrator already: log in",
    "此服务器已有管理员：请登录",
  ],
  registration_closed: [
    "Registration is closed: ask an administrator",
    "注册已关闭：请联系管理员",
  ],
  login_password: ["Cannot log in: the password {problem}", "无法登录：密码{problem}"],
  refresh_token_bad: [
    "The refresh token is invalid, expired or already used",
    "刷新令牌无效、已过期或已使用",
  ],
  sign_in_over: ["The sign-in has ended: log in again", "登录流程已结束：请重新登录"],
  session_cookie_bad: [
    "Sign in first: the session cookie is missing or invalid",
    "请先登录：会话 Cookie 缺失或无效",
  ],
  link_expired: [
    "The link is not valid any more: ask for a new one",
    "链接已失效：请重新获取",
  ],
  passkey_unknown: [
    "The passkey is not known, or its answer too late",
    "未知的通行密钥，或其响应已超时",
  ],
  as_another: ["Not while you act as another user", "以其他用户身份操作时不可用"],
  key_not_enough: [
    "This takes a sign-in: an API key does not do",
    "此操作需要登录：API 密钥不可用",
  ],
  key_expired: ["The API key '{name}' has expired", "API 密钥“{name}”已过期"],
  key_elsewhere: [
    "The API key '{name}' is not for this address",
    "API 密钥“{name}”不适用于此地址",
  ],
  keys_many: [
    "Nobody has more than {most} API keys: delete one first",
    "每人最多 {most} 个 API 密钥：请先删除一个",
  ],
  passkeys_many: [
    "Nobody has more than {most} passkeys: remove one first",
    "每人最多 {most} 个通行密钥：请先移除一个",
  ],
  no_passkey: [
    "You have no passkey: give the password or a code",
    "您没有通行密钥：请提供密码或验证码",
  ],
  no_setup: ["No authenticator is being set up: begin anew", "没有正在设置的验证器：请重新开始"],
  no_authenticator: ["There is no authenticator to remove", "没有可移除的验证器"],
  nothing_to_recover: [
    "There is no second factor to recover: set one up first",
    "没有可恢复的第二因素：请先设置",
  ],
  role_needs_factor: [
    "Your role asks for a second factor: set up another one first",
    "您的角色要求第二因素：请先设置另一个",
  ],
  has_no_factor: ["{name} has no second factor", "{name} 没有第二因素"],
  last_way_in: [
    "You would sign in by nothing any more: set a password first",
    "您将无法再登录：请先设置密码",
  ],
  provider_unconfirmed: [
    "{provider} does not say that your e-mail address is confirmed there",
    "{provider} 未说明您的电子邮件地址已在该处确认",
  ],
  provider_account_linked: [
    "This account of {provider} is linked with another user",
    "{provider} 的此账户已关联其他用户",
  ],
  address_linked: [
    "Another account of {provider} is linked with your address: log in another way and link this one",
    "{provider} 的另一个账户已关联您的地址：请以其他方式登录并关联此账户",
  ],
  address_unconfirmed: [
    "There is an account with your address that nobody has confirmed: set its password by 'Forgot password', or " +
    "log in to it and link {provider}",
    "已有一个使用您地址但未经确认的账户：请通过“忘记密码”设置密码，或登录后关联 {provider}",
  ],
  no_account: [
    "There is no account for you: ask an administrator for one",
    "没有您的账户：请联系管理员创建",
  ],
  no_accounts_now: [
    "No accounts can be made at present: tell an administrator",
    "目前无法创建账户：请告知管理员",
  ],
  domain_not_allowed: [
    "Only people of {domains} sign in by {provider}",
    "只有 {domains} 的人员可以通过 {provider} 登录",
  ],
  identities_many: [
    "Nobody has more than {most} identities: unlink one first",
    "每人最多 {most} 个身份：请先解除一个",
  ],
  provider_down: [
    "{provider} cannot be reached: try again shortly, or sign in another way",
    "无法连接 {provider}：请稍后重试，或以其他方式登录",
  ],
  only_super_impersonates: [
    "Only a super_admin acts as another user",
    "只有 super_admin 可以以其他用户身份操作",
  ],
  impersonates_self: ["You are this user already", "您已经是该用户"],
  super_not_impersonated: ["Nobody acts as a super_admin", "不能以 super_admin 身份操作"],
  not_impersonated: [
    "{name} is {status}: nobody acts as them",
    "{name} 的状态为 {status}：不能以其身份操作",
  ],
  account_going: ["The account is being deleted", "账户正在被删除"],
  confirm_first: [
    "Confirm your own e-mail address before you invite others",
    "邀请他人之前请先确认您自己的电子邮件地址",
  ],
  not_confirmed: [
    "Cannot give {name} {right}: they have not confirmed the address {address} yet",
    "无法将 {right} 授予 {name}：对方尚未确认地址 {address}",
  ],
  own_rights: [
    "You cannot change your own role, status or permissions",
    "不能修改自己的角色、状态或权限",
  ],
  own_role: ["You cannot change the permissions of your own role", "不能修改自己角色的权限"],
  deletes_self: ["You cannot delete yourself", "不能删除自己"],
  last_super: [
    "The last active super_admin cannot be removed or demoted",
    "不能移除或降级最后一个已启用的 super_admin",
  ],
  no_heir: [
    "There is no active super_admin to take over what the user owned",
    "没有已启用的 super_admin 接管该用户拥有的内容",
  ],
  not_grantable: [
    "You cannot grant '{permission}': you do not hold it yourself",
    "不能授予“{permission}”：您自己没有该权限",
  ],
  not_manageable: [
    "You cannot manage {name}: they hold '{permission}', which you do not",
    "不能管理 {name}：对方拥有您没有的“{permission}”",
  ],
  role_not_changeable: [
    "You cannot change the role {name}: it holds '{permission}', you do not",
    "不能修改角色 {name}：它拥有您没有的“{permission}”",
  ],
  role_built_in_renamed: [
    "The built-in role {name} cannot be renamed",
    "内置角色 {name} 不能重命名",
  ],
  role_built_in_deleted: ["The built-in role {name} cannot be deleted", "内置角色 {name} 不能删除"],
  super_keeps_all: [
    "The role super_admin cannot lose the permission '*'",
    "角色 super_admin 不能失去权限“*”",
  ],
  role_renamed_in_use: [
    "The role {name} cannot be renamed: {count} users have it",
    "角色 {name} 不能重命名：有 {count} 个用户拥有它",
  ],
  role_deleted_in_use: [
    "The role {name} cannot be deleted: {count} users have it",
    "角色 {name} 不能删除：有 {count} 个用户拥有它",
  ],
  permission_built_in: [
    "The built-in permission '{name}' cannot be deleted",
    "内置权限“{name}”不能删除",
  ],
  permission_in_role: [
    "The permission '{name}' cannot be deleted: the role {role} holds it",
    "权限“{name}”不能删除：角色 {role} 拥有它",
  ],
  permission_in_user: [
    "The permission '{name}' cannot be deleted: a user holds it",
    "权限“{name}”不能删除：有用户拥有它",
  ],
  member_already: ["The user is a member already", "该用户已是成员"],
  members_many: ["A team has at most {most} members", "团队最多 {most} 名成员"],
  owner_keeps: [
    "The owner keeps that role: hand the team over to someone else first",
    "所有者的角色不能更改：请先将团队移交给他人",
  ],
  owner_stays: [
    "The owner cannot be removed: hand the team over to someone else first",
    "不能移除所有者：请先将团队移交给他人",
  ],
  teams_many: [
    "Nobody is handed a team who owns {most} already",
    "已拥有 {most} 个团队的人不能再接手团队",
  ],
  team_admins_only: [
    "Only the owner and the admins of a team may change it",
    "只有团队的所有者和管理员可以修改它",
  ],
  team_owner_only: [
    "Only the owner of a team may hand it over or delete it",
    "只有团队的所有者可以移交或删除它",
  ],
  no_refresh_cookie: [
    "There is no cookie with a refresh token",
    "没有包含刷新令牌的 Cookie",
  ],
  ticket_not_good: [
    "The ticket is not good any more: ask for another one",
    "票据已失效：请重新获取",
  ],
} as const satisfies Texts;
