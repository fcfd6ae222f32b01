// Preloaded into a server whose audit log is linked or not, as it is told by SIGHUP: at first it is. The salts of entries
// are made in their commits either way.
import { SECOND } from "../core/units.ts";
import { AuditWork } from "../services/audit/audit.ts";

const { follow } = AuditWork.prototype;
let linking = true;

AuditWork.prototype.follow = async function () {
  return linking ? await follow.call(this) : SECOND;
};
Deno.addSignalListener("SIGHUP", () => linking = !linking);
