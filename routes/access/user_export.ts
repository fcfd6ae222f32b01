// Users as CSV.
import { columnsOf, csvAnswer } from "../../http/csv.ts";
import { endpoint } from "../../http/endpoint.ts";
import { listing } from "../../http/lists.ts";
import {
  type PublicUser,
  type User,
  userExportQuery,
  userParts,
  users,
} from "../../models/users.ts";
import { usersAsked } from "./users.ts";

/** Users read at a time: some milliseconds of work. */
const PAGE = 150;

type Row = Omit<PublicUser, "roles" | "permissions">;

const columns = columnsOf<Row>(
  "id",
  "name",
  "email",
  "username",
  "phone",
  "department",
  "position",
  "bio",
  "avatar",
  "timeZone",
  "role",
  "status",
  "emailVerified",
  "createdAt",
  "updatedAt",
  "lastLoginAt",
);

const exportUsers = endpoint({
  operationId: "exportUsers",
  method: "get",
  path: "/users/export",
  tag: "Users",
  summary: "Users as CSV",
  description:
    "All that the filters of the list match, in its order, streamed. What a spreadsheet would take for a formula has an " +
    "apostrophe before it. `bom=true` is for Excel. At most 60 exports and imports an hour.",
  access: "users:view",
  query: userExportQuery,
  raw: "text/csv",
  errors: ["RATE_LIMITED"],
  async handle(call) {
    const { store, query } = call;
    const { search, sort } = listing<User>(query);
    return await csvAnswer(call, {
      name: "users",
      columns,
      bom: query.bom,
      async read(cursor) {
        const where = await usersAsked(store, query);
        const page = { where, search, sort, cursor, limit: PAGE };
        const { rows, total, nextCursor } = await store.from(users).listRows(page);
        const records = rows.map((row) => JSON.parse(`${userParts(row).shown}}`) as Row);
        return { records, total, nextCursor };
      },
    });
  },
});

export const userExportRoutes = [exportUsers];
