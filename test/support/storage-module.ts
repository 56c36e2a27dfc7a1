export { collection } from "../../server/storage/collection.ts";
export { openStore } from "../../server/storage/open.ts";
