// What a message is written as: in English and in Chinese, with what differs from case to case in braces.

/** The languages that errors are told in. The first is spoken where a client names none of them. */
export const LANGUAGES = ["en", "zh"] as const;
export type Language = typeof LANGUAGES[number];

/** By code: a message in each language. Codes never change; what they say may. */
export type Texts = Readonly<Record<string, readonly [en: string, zh: string]>>;

/** Words that messages are filled with: kinds of records. */
export const words: Readonly<Record<string, string>> = {
  "API key": "API 密钥",
  "attendee": "参与者",
  "backup": "备份",
  "conversation": "会话",
  "delivery": "投递",
  "document": "文档",
  "event": "日程",
  "file": "文件",
  "folder": "文件夹",
  "identity": "身份",
  "member of this team": "团队成员",
  "message": "消息",
  "notification": "通知",
  "passkey": "通行密钥",
  "permission": "权限",
  "provider": "提供方",
  "reminder": "提醒",
  "resource": "资源",
  "role": "角色",
  "session": "会话",
  "share": "共享",
  "snippet": "片段",
  "tag of this document": "文档标签",
  "task": "任务",
  "team": "团队",
  "user": "用户",
  "version": "版本",
  "webhook": "Webhook",
};
