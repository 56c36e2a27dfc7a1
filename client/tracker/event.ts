import { keepOnly, kept, type Item } from "./queue.ts";
import { link } from "./rest.ts";

let count = 0;

/** Stores an event before anything is sent or loaded, and passes it to the second file if that is loaded. */
export function record(path: string, fields: Item["fields"]): Item {
  const item = { path, fields, at: Date.now() + (count++ + Math.random()) / 1_000, tries: 0 };
  keepOnly([...kept(), item]);
  link.rest?.send(item);
  return item;
}
