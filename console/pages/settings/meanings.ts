// What settings mean, in the languages that the server does not tell it in: it tells it in English.
import type { Setting } from "../../../client/mod.ts";
import { type Language, language } from "../../state/language.ts";

/** By the name of the setting, or one of its other names. */
export const MEANINGS: Readonly<
  Record<Exclude<Language, "en">, Readonly<Record<string, string>>>
> = {
  zh: {
    VARIANT: "提供哪种 API：compact、full、web 或 snippets",
    DENO_ENV: "在 production 环境中，不会自动生成密钥，也不会在日志中记录链接",
    DENO_DEPLOYMENT_ID: "由 Deno Deploy 设置，表示生产环境",
    DENO_DEPLOY: "由 Deno Deploy 设置，表示生产环境",
    PORT: "监听端口",
    HOST: "监听地址；127.0.0.1 表示仅限本机访问",
    API_URL: "API 的基础路径",
    PUBLIC_URL: "用户访问服务器的地址；使用 https 时 Cookie 仅通过安全连接发送",
    FRONTEND_URL: "邮件中的链接指向的地址",
    PASSKEY_DOMAIN: "通行密钥所属的域名",
    LOG_LEVEL: "记录日志的最低级别",
    USE_MOCK: "是否用演示数据填充空的数据库",
    DATABASE_URL: "数据存放的位置",
    DENO_KV_PATH: "Deno KV 数据库文件，或 KV Connect 服务器的地址",
    DATABASE_POOL_SIZE: "PostgreSQL 连接数",
    DATABASE_STATEMENT_TIMEOUT: "等待 PostgreSQL 响应的最长时间",
    DATABASE_CONNECTION_TIMEOUT: "等待 PostgreSQL 连接的最长时间",
    CACHE_MAX_MB: "用于缓存记录的内存（MiB）",
    UNVERIFIED_DAYS: "从未确认邮箱的账号闲置多少天后被删除；0 表示不删除",
    AUDIT_DAYS: "审计日志条目的保留天数；0 表示全部保留",
    AUDIT_KEY: "用于签名审计日志链的密钥；旧密钥写在其后，以逗号分隔",
    TRASH_DAYS: "已删除内容可恢复的天数；0 表示立即彻底删除",
    REVISIONS_KEPT: "每个文档保留的修订版本数；0 表示不保留",
    WEBHOOK_DAYS: "Webhook 投递记录的保留天数；0 表示全部保留",
    BACKUP_EVERY: "服务器自动备份的间隔时间",
    BACKUP_KEEP: "保留多少份自动备份",
    BACKUP_DIR: "存放备份的文件夹",
    BACKUP_S3_URL: "另外存放备份的 S3 兼容存储桶",
    BACKUP_S3_ACCESS_KEY_ID: "存储桶访问密钥的 ID",
    BACKUP_S3_SECRET_ACCESS_KEY: "存储桶的访问密钥",
    BACKUP_S3_SESSION_TOKEN: "与临时密钥配套的会话令牌",
    JWT_ACCESS_EXPIRES: "访问令牌的有效期",
    JWT_EXPIRES_IN: "访问令牌的有效期",
    JWT_REFRESH_EXPIRES: "刷新令牌的有效期",
    REFRESH_TOKEN_EXPIRES_IN: "刷新令牌的有效期",
    ADMIN_EMAIL: "首位管理员的邮箱；该账号在没有用户的数据库中创建",
    ADMIN_PASSWORD: "首位管理员的密码",
    REGISTRATION: "是否允许任何人注册账号",
    EMAIL_VERIFICATION: "注册者是否必须确认邮箱",
    MFA_REQUIRED_ROLES: "必须启用双重验证的角色；启用之前，这些用户不能进行其他操作",
    STEP_UP_ROLES: "更改角色和权限时是否需要重新验证身份",
    OIDC_PROVIDERS: "可用于登录的身份提供方（OpenID Connect）",
    CORS_ORIGIN: "可携带凭据访问的前端来源；未设置时，所有来源均可访问，但不能携带凭据",
    TRUSTED_PROXIES: "受信任的代理，其 X-Forwarded-For 有效",
    RATE_LIMIT: "是否限制登录失败、注册、邮件和公开接口的频率",
    CONSOLE: "是否在根路径提供控制台",
    MCP: "程序是否可以在 /mcp 将接口作为工具调用",
    EVENT_STREAMS: "该进程可同时打开的事件流数量",
    EVENT_STREAMS_PER_USER: "每个用户在该进程可同时打开的事件流数量",
    WEBHOOK_ALLOW_PRIVATE: "Webhook 是否可以指向私有网络和 http:// 地址",
    METRICS_TOKEN: "访问 /metrics 所需的 Bearer 令牌",
    SMTP_URL: "邮件服务器；未设置时，非生产环境会在日志中记录链接",
    MAIL_FROM: "邮件的发件人",
    UPLOAD_MAX_BYTES: "单个文件的最大大小",
    UPLOAD_TYPES: "允许上传的媒体类型，根据文件内容判断；* 表示全部",
    STORAGE_QUOTA: "每个用户的存储空间上限",
    RECORDS_QUOTA: "每个用户可拥有的记录数，以及每天可进行的更改次数",
    SNIPPETS: "是否启用代码片段",
    SNIPPET_DAYS: "没有所有者的片段的保留天数；0 表示永久保留",
    SNIPPET_QUOTA: "每个所有者的片段可占用的总空间",
    SNIPPET_ORIGIN: "片段页面使用的独立域名",
    JWT_SECRET: "用于签名访问令牌",
    SESSION_SECRET: "用于签名会话令牌",
    REFRESH_TOKEN_SECRET: "用于签名刷新令牌",
  },
};

/** What a setting means; in the server's words where there are none here. */
export function meaningOf(
  { name, aliases, meaning }: Pick<Setting, "name" | "aliases" | "meaning">,
): string {
  if (language.value === "en") return meaning;
  const table = MEANINGS[language.value];
  const named = [name, ...aliases].find((one) => Object.hasOwn(table, one));
  return named === undefined ? meaning : table[named]!;
}
