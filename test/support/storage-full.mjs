// Writes until its file may not grow any more, then gets room and writes again. Arguments: the bundled
// storage module, the store's URL. Prints the results of its writes as JSON.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [, , module, url] = process.argv;
const { openEngine, openStore, storeOn, integer, table, text } = await import(module);
const things = table(
  "thing",
  { id: integer(), name: text(), filler: text() },
  { unique: { name: ["name"] } },
);
const tables = [things];
const engine = await openEngine(url, { tables });
const store = await storeOn(engine);
const filler = "x".repeat(2_000);
const acknowledged = [];
const refusals = [];
let id = 0;

async function writePair() {
  const own = ++id;
  try {
    await store.transact(async (tx) => {
      await tx.put(things, { account_id: 1, id: own, name: `${own}`, filler });
      await tx.put(things, { account_id: 1, id: -own, name: `twin of ${own}`, filler });
    });
    acknowledged.push(own);
  } catch (error) {
    refusals.push(`${error.kind}: ${error.message}`);
  }
}

async function write(rounds) {
  for (let round = 0; round < rounds; round++) await Promise.all(Array.from({ length: 8 }, writePair));
}

/** The ids in a backup. */
async function copy() {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-copy-"));
  await engine.backup(folder);
  const backup = await openStore(url.replace(/:.*/, `:${folder}`), { tables });
  const all = await backup.page(things, "id", 1, [], { limit: 10_000 });
  await backup.close();
  rmSync(folder, { recursive: true });
  return all.map((thing) => thing.id);
}

await write(60);
const acknowledgedCount = acknowledged.length;
const refusedCount = refusals.length;
const copied = await copy();
execFileSync("prlimit", [`--pid=${process.pid}`, "--fsize=unlimited:"]);
await write(5);
const found = await store.page(things, "id", 1, [], { limit: 10_000 });
const total = await store.count(things, "id", 1, []);
await store.close();
console.log(
  JSON.stringify({
    kinds: [...new Set(refusals)],
    refusedCount,
    refusedLaterCount: refusals.length - refusedCount,
    acknowledged,
    acknowledgedCount,
    copied,
    found: found.map((thing) => thing.id),
    total,
  }),
);
