// Preloaded into a server whose audit log is linked or not, as it is told by SIGHUP: at first it is. The salts of entries
// are made in their commits either way.
import { AuditWork } from "../services/audit/audit.ts";

const { link } = AuditWork.prototype;
let linking = true;

AuditWork.prototype.link = function () {
  return linking ? link.call(this) : Promise.resolve();
};
Deno.addSignalListener("SIGHUP", () => linking = !linking);
