// Runs before anything is shown: the theme, the language and the direction that were chosen here before.
const root = document.documentElement;
try {
  const { theme, language, direction } = JSON.parse(
    localStorage.getItem("quarterdeck.preferences") ?? "{}",
  );
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (typeof language === "string") root.lang = language;
  if (direction === "rtl") root.dir = "rtl";
} catch {
  // Without storage the browser's own preferences count.
}
