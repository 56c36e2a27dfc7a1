// Exits in the middle of a write. Arguments: the bundled storage module, the store's URL.
const [, , module, url] = process.argv;
const { openStore, collection } = await import(module);
const turns = collection()({ name: "turn", id: ({ id }) => [id], claims: {}, indexes: {} });
const store = await openStore(url);

// The first commit starts the thread.
await store.transact((tx) => tx.put(turns, { accountId: 1, id: 0 }));
void store.transact((tx) => {
  for (let id = 1; id <= 5_000; id++) tx.put(turns, { accountId: 1, id });
});
for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
process.exit(0);
