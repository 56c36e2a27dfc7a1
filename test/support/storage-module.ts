export { collection } from "../../server/storage/collection.ts";
export { openDriver, openStore, storeOn } from "../../server/storage/open.ts";
