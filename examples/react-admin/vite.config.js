// The app and the server at one origin: what begins with /api goes to the server that SERVER names.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const proxy = { "/api": process.env.SERVER ?? "http://127.0.0.1:8000" };

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } });
