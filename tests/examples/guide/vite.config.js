// Builds the guide's three apps, each with a page of its own.
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";

export default {
  plugins: [react(), vue()],
  build: { rollupOptions: { input: ["plain.html", "react.html", "vue.html"] }, target: "es2022" },
  logLevel: "warn",
};
