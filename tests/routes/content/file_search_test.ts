// Searching files by several conditions.
import { scenarios } from "../../scenario.ts";
import { arrange, type State } from "./file_scene.ts";

scenarios("file search", {
  variant: "full",
  arrange,
  rows: [
    {
      name: "search by name, in any of its fields",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { keyword: "SALES", type: "Document", mimeType: "", page: "1", limit: 5 },
      status: 200,
      holds: { data: [{ name: "sales.pdf" }], pagination: { total: 1, limit: 5 } },
    },
    {
      name: "search by size, date and folder",
      method: "POST",
      path: "/api/files/search",
      as: "admin",
      body: ({ year, report }: State) => ({
        folderId: year.id,
        minSize: report.size,
        maxSize: report.size,
        from: "2026-11-21",
        to: "2026-11-22",
      }),
      status: 200,
      holds: { data: [{ name: "sales.pdf" }] },
    },
    {
      name: "search that excludes by size",
      method: "POST",
      path: "/api/files/search",
      as: "admin",
      body: { query: "s", minSize: 5000 },
      status: 200,
      holds: { data: [] },
    },
    {
      name: "search sees no other's",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { search: "t.jpg" },
      status: 200,
      holds: { data: [], pagination: { total: 0 } },
    },
    {
      name: "search with bad conditions: 400",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      body: { type: "poem", minSize: -1, from: "yesterday", page: 0 },
      status: 400,
      details: ["type", "minSize", "from", "page"],
    },
    {
      name: "search without a body: 400",
      method: "POST",
      path: "/api/files/search",
      as: "user",
      status: 400,
      details: ["body"],
    },
    {
      name: "search without a token: 401",
      method: "POST",
      path: "/api/files/search",
      body: {},
      status: 401,
    },
    {
      name: "search as guest: 403",
      method: "POST",
      path: "/api/files/search",
      as: "guest",
      body: {},
      status: 403,
    },
  ],
});
