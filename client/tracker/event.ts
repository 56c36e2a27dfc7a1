import { keepOnly, waiting, type Item } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { handOver } from "./rest.ts";

/** The longest event to send. Browsers refuse more than 64 KiB in requests that may outlive their page. */
const MAX_LENGTH = 48_000;

let count = 0;

/**
 * Keeps an event before anything is sent or loaded. The second file sends it. Returns undefined if it can't be sent.
 */
export function record(path: string, fields: object): Item | undefined {
  const text = quietly(() => JSON.stringify(fields, textOf));
  if (!text || encodeURIComponent(text).length > MAX_LENGTH) return;
  const item = {
    path,
    fields: JSON.parse(text),
    at: Date.now() + (count++ + Math.random()) / 1_000,
    tries: 0,
  };
  keepOnly([...waiting(), item]);
  handOver(item);
  return item;
}

/** Leaves out missing values, which would otherwise be sent as the text "null", and sends objects as JSON. */
const textOf = (name: string, value: unknown): unknown =>
  name && typeof value === "object" && value ? JSON.stringify(value) : (value ?? undefined);
