export { integer, table, text } from "../../server/storage/table.ts";
export { openEngine, openStore, storeOn } from "../../server/storage/open.ts";
