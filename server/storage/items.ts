import type { Reads, Session } from "./session.ts";

/** The table `items`: the store's own texts under keys, such as its mark. What people keep as files is in `files.ts`. */

/** The text of an item, or null. */
export async function readItem(reads: Reads, key: string): Promise<string | null> {
  const text = `select value from items where key = ${reads.dialect.value(1)}`;
  const [row] = await reads.all({ text, values: [key] });
  return (row?.[0] as string | undefined) ?? null;
}

/** The keys of all items, in order. */
export async function itemKeys(reads: Reads): Promise<string[]> {
  return (await reads.all({ text: "select key from items order by key", values: [] })).map(([key]) =>
    String(key),
  );
}

/** Writes an item, or removes it if the value is null. */
export async function writeItem(session: Session, key: string, value: string | null): Promise<void> {
  const [first, second] = [1, 2].map(session.dialect.value);
  if (value === null) await session.run({ text: `delete from items where key = ${first}`, values: [key] });
  else
    await session.run({
      text:
        `insert into items (key, value) values (${first}, ${second})` +
        " on conflict (key) do update set value = excluded.value",
      values: [key, value],
    });
}

/** Removes an item unless its value has changed since it was read. */
export async function removeUnchanged(
  session: Session,
  { key, value }: { key: string; value: string },
): Promise<void> {
  const [first, second] = [1, 2].map(session.dialect.value);
  await session.run({
    text: `delete from items where key = ${first} and value = ${second}`,
    values: [key, value],
  });
}
