// What the caller stores, by kind of file, and how much that may be.
import { type Endpoint, endpoint } from "../../http/endpoint.ts";
import { storageInfo } from "../../models/files.ts";
import { storageOf } from "../../services/content/storage_usage.ts";

const usage = endpoint({
  operationId: "getStorageUsage",
  method: "get",
  path: "/files/storage",
  tag: "Files",
  summary: "What the caller stores",
  access: "files:view",
  data: storageInfo,
  async handle(call) {
    const { quota } = call.services.settings.uploads;
    return { data: await storageOf(call.store, call.principal.user.id, quota) };
  },
});

const info: Endpoint = {
  ...usage,
  operationId: "getStorageInfo",
  path: "/files/storage-info",
  summary: "What the caller stores, as `GET /files/storage` tells it",
};

export const storageUsageRoutes = [usage, info];
