// Exits in the middle of a write. Arguments: the bundled storage module, the store's URL.
const [, , module, url] = process.argv;
const { openStore, collection } = await import(module);
const turns = collection()({ name: "turn", id: ({ id }) => [id], claims: {}, indexes: {} });
const store = await openStore(url);

async function write() {
  for (;;) await store.transact(async (tx) => tx.put(turns, { accountId: 1, id: 1 }));
}

for (let lane = 0; lane < 8; lane++) void write();
for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
process.exit(0);
