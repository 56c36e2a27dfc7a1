// Opens a store at the moment when it is sent a line, and writes to it. Arguments: the bundled storage module, the store's URL.
import { once } from "node:events";

const [, , module, url] = process.argv;
const { openStore, integer, table } = await import(module);
const tables = ["thing", "turn", "note"].map((name) =>
  table(name, { id: integer() }, { indexes: { newest: { on: ["id"] } } }),
);
process.stdout.write("ready\n");
await once(process.stdin, "data");
const store = await openStore(url, { tables });
await store.nextId("thing");
await store.close();
process.exit(0);
