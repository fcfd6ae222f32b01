// Texts of the page of settings.
import { translated } from "../../state/language.ts";

export const texts = translated({
  en: {
    title: "Settings",
    text:
      "What this server runs with. Settings are environment variables: change them where it is started, then restart it.",
    search: "Search settings",
    name: "Setting",
    value: "In force",
    source: "Comes from",
    sources: {
      environment: "Environment",
      file: ".env file",
      generated: "Made by the server",
      default: "Default",
    },
    onlyChanged: "Only those that were set",
    secretSet: "Set, and kept secret",
    secretUnset: "Not set",
    unset: "Not set",
    fallback: (value: string) => `Default: ${value}`,
    aliases: (names: string) => `Also: ${names}`,
    count: (shown: string, all: string) => `${shown} of ${all}`,
    none: "No setting matches",
    noneText: "Search by name, by value or by what it means.",
  },
  zh: {
    title: "设置",
    text: "服务器当前使用的配置。配置来自环境变量：在启动处修改后重启即可生效。",
    search: "搜索设置",
    name: "设置项",
    value: "当前值",
    source: "来源",
    sources: {
      environment: "环境变量",
      file: ".env 文件",
      generated: "服务器生成",
      default: "默认值",
    },
    onlyChanged: "仅显示已设置的",
    secretSet: "已设置(保密)",
    secretUnset: "未设置",
    unset: "未设置",
    fallback: (value: string) => `默认值：${value}`,
    aliases: (names: string) => `别名：${names}`,
    count: (shown: string, all: string) => `${shown} / ${all}`,
    none: "没有匹配的设置",
    noneText: "可按名称、值或含义搜索。",
  },
});
