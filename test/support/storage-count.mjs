// Adds one to the same record again and again, eight at a time. Arguments: the bundled storage module, the
// store's URL, how often each of the eight adds.
const [, , module, url, times] = process.argv;
const { openStore, collection } = await import(module);
const things = collection()({ name: "thing", id: (thing) => [thing.id], claims: {}, indexes: {} });
const store = await openStore(url);

async function add() {
  for (let count = 0; count < Number(times); count++) {
    await untilUncontended(async (tx) => {
      const thing = await tx.get(things, 1, 0);
      await tx.put(things, { accountId: 1, id: 0, count: (thing?.count ?? 0) + 1 });
    });
    // A read between commits could fill a cache that is kept for too long.
    await store.get(things, 1, 0);
  }
}

/**
 * With so many writers, a transaction may lose all of its tries. Then it has changed nothing, and says so.
 */
async function untilUncontended(work) {
  for (;;) {
    try {
      return await store.transact(work);
    } catch (error) {
      if (error.kind !== "conflict") throw error;
    }
  }
}

await Promise.all(Array.from({ length: 8 }, add));
await store.close();
