export { collection } from "../../server/storage/collection.ts";
export { storeOn } from "../../server/storage/open.ts";
export { openDriver, openStore } from "./logged-store.ts";
