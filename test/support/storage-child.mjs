// Commits pairs of records until it is killed, and prints what was acknowledged. Arguments: the bundled
// storage module, the store's URL, the writer's name.
const [, , module, url, writer] = process.argv;
const { openStore, integer, table, text } = await import(module);
const things = table(
  "thing",
  { id: integer(), name: text(), writer: text(), count: integer().optional() },
  { unique: { name: ["name"] }, indexes: { writer: { on: ["writer"] } } },
);
const store = await openStore(url, { tables: [things] });
process.stdout.write("ready\n");

async function write(lane) {
  for (let count = 0; ; count++) {
    try {
      await writePair(lane, count);
    } catch (error) {
      // If the database was killed too, the outcome of this pair is unknown, so it is not printed.
      if (error.kind !== "unavailable" && error.kind !== "conflict") throw error;
    }
  }
}

async function writePair(lane, count) {
  const id = await store.nextId("thing");
  const name = `${writer}-${lane}-${count}-${process.pid}`;
  await store.transact(async (tx) => {
    await tx.put(things, { account_id: 1, id, name, writer });
    await tx.put(things, { account_id: 1, id: -id, name: `twin of ${name}`, writer });
    const hot = await tx.get(things, 1, 0);
    if (count % 8 === 0)
      await tx.put(things, {
        account_id: 1,
        id: 0,
        name: "hot",
        writer: "all",
        count: (hot?.count ?? 0) + 1,
      });
  });
  process.stdout.write(`${id}\n`);
}

await Promise.all(Array.from({ length: 8 }, (_, lane) => write(lane)));
