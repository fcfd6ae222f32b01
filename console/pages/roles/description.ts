// What roles are for: of built-in ones in the reader's language, as long as nobody has described them otherwise.
import type { Role } from "../../../client/mod.ts";
import { translated } from "../../state/language.ts";

/** As the server describes them at first. */
const SERVERS = {
  super_admin: "May do everything",
  admin: "Administers users and content",
  user: "Works with content",
  guest: "Sees the dashboard",
};

const texts = translated({
  en: SERVERS,
  zh: {
    super_admin: "拥有全部权限",
    admin: "管理用户和内容",
    user: "处理内容",
    guest: "查看仪表盘",
  },
});

type BuiltIn = keyof typeof SERVERS;

function isBuiltIn(name: string): name is BuiltIn {
  return Object.hasOwn(SERVERS, name);
}

export function roleDescription(
  { name, description }: Pick<Role, "name" | "description">,
): string | undefined {
  return isBuiltIn(name) && description === SERVERS[name] ? texts()[name] : description;
}
