// Opens a store at the moment when it is sent a line, and writes to it. Arguments: the bundled storage module, the store's URL.
import { once } from "node:events";

const [, , module, url] = process.argv;
const { openStore } = await import(module);
process.stdout.write("ready\n");
await once(process.stdin, "data");
const store = await openStore(url);
await store.nextId("thing");
await store.close();
process.exit(0);
