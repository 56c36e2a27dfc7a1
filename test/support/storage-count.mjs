// Adds one to the same record again and again, eight at a time. Arguments: the bundled storage module, the
// store's URL, how often each of the eight adds.
const [, , module, url, times] = process.argv;
const { openStore, integer, table } = await import(module);
const things = table("thing", { id: integer(), count: integer().optional() });
const store = await openStore(url, { tables: [things] });

async function add() {
  for (let count = 0; count < Number(times); count++) {
    await store.transact(async (tx) => {
      const thing = await tx.get(things, 1, 0);
      await tx.put(things, { account_id: 1, id: 0, count: (thing?.count ?? 0) + 1 });
    });
    // A read between commits could fill a cache that is kept for too long.
    await store.get(things, 1, 0);
  }
}

await Promise.all(Array.from({ length: 8 }, add));
await store.close();
