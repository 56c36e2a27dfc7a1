import { keepOnly, kept, type Item } from "./queue.ts";
import { link } from "./rest.ts";

let count = 0;

/** Stores an event before anything is sent or loaded, and passes it to the second file if that is loaded. */
export function record(path: string, fields: Item["fields"]): Item {
  // Times of today are exact to 1/4096 ms, so each event of the page gets a slot of 1/8 ms and a random place in it.
  const at = Date.now() + (count++ + Math.random() / 2) / 8;
  const item = { path, fields, at, tries: 0 };
  keepOnly([...kept(), item]);
  link.rest?.send(item);
  return item;
}
