// What the keys of a table do, as the list of shortcuts says it.
import { translated } from "../state/language.ts";

export const texts = translated({
  en: {
    scope: "Rows",
    move: "Row before or after",
    edge: "First or last row",
    page: "Page before or after",
    open: "Open the row",
    choose: "Select the row",
    extend: "Select rows on the way",
    chooseAll: "Select all rows",
    clear: "Select none",
    menu: "Menu of the row",
  },
  zh: {
    scope: "行",
    move: "上一行或下一行",
    edge: "第一行或最后一行",
    page: "上一页或下一页",
    open: "打开该行",
    choose: "选择该行",
    extend: "移动并选择",
    chooseAll: "选择所有行",
    clear: "取消选择",
    menu: "该行的菜单",
  },
});
