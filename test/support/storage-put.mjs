// Commits one record and exits. Arguments: the bundled storage module, the store's URL, the record's id.
const [, , module, url, id] = process.argv;
const { openStore, collection } = await import(module);
const things = collection()({ name: "thing", id: (thing) => [thing.id], claims: {}, indexes: {} });
const store = await openStore(url);
await store.transact((tx) => tx.put(things, { accountId: 1, id: Number(id) }));
await store.close();
