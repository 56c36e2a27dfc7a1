import { quietly } from "./quietly.ts";

/** Stands in where the page may not store, or the visitor would rather not. */
let memory = "";

/** The events that the server has not answered yet, oldest first: a line of JSON each. */
export const waiting = (): string => quietly(() => localStorage._svc_q) || memory;

/** Replaces what waits. It stays until the server has answered, on later pages too. */
export function keep(lines: string): void {
  memory = lines;
  quietly(() => {
    delete localStorage._svc_q;
    // Global Privacy Control: nothing is stored before the server has said that it may.
    if (lines && !(navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl) {
      localStorage._svc_q = lines;
    }
  });
}
