// Commits one record and exits. Arguments: the bundled storage module, the store's URL, the record's id.
const [, , module, url, id] = process.argv;
const { openStore, integer, table } = await import(module);
const things = table("thing", { id: integer() });
const store = await openStore(url, { tables: [things] });
await store.transact((tx) => tx.put(things, { account_id: 1, id: Number(id) }));
await store.close();
