// The storage suite on a KV Connect server.
import { openOnNewServer } from "../../kv_connect/open.ts";
import { storageSuite } from "../../storage/suite.ts";

storageSuite("KV Connect", openOnNewServer);
