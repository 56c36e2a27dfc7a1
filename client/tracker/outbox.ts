import { quietly } from "./quietly.ts";

/** An event that the server has not answered yet, as JSON: its path and fields. */
export type Item = string;

/** Stands in where the page may not store, or the visitor would rather not. */
let memory: Item[] = [];

/** What waits to be sent, oldest first. */
export const waiting = (): Item[] => quietly(() => JSON.parse(localStorage["_svc_q"])) || memory;

/** Replaces what waits. It stays until the server has answered, on later pages too. */
export function keep(items: Item[]): void {
  memory = items;
  quietly(() => {
    delete localStorage["_svc_q"];
    // Global Privacy Control: nothing is stored before the server has said that it may.
    if (items[0] && !(navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl) {
      localStorage["_svc_q"] = JSON.stringify(items);
    }
  });
}
