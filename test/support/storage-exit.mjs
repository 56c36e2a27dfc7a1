// Exits in the middle of a write. Arguments: the bundled storage module, the store's URL.
const [, , module, url] = process.argv;
const { openStore, integer, table } = await import(module);
const turns = table("turn", { id: integer() });
const store = await openStore(url, { tables: [turns] });

await store.transact((tx) => tx.put(turns, { account_id: 1, id: 0 }));
void store.transact(async (tx) => {
  for (let id = 1; id <= 5_000; id++) {
    await tx.put(turns, { account_id: 1, id });
    // The transaction is open for many turns of the event loop.
    if (id % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
});
for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
process.exit(0);
