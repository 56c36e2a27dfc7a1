// A process of its own that ends itself while it writes.
// Arguments: the bundled storage module, the store's url.
const [, , module, url] = process.argv;
const { openStore } = await import(module);
const store = await openStore(url);

async function write() {
  for (;;) await store.transact(async (tx) => tx.add([1, "total"], 1));
}

for (let lane = 0; lane < 8; lane++) void write();
for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
process.exit(0);
