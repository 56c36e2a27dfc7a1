import { fingerprint } from "../../storage/digests.ts";

/** The id of a source or a page in keys, because its name may be long. */
export function nameKey(name: string): string {
  return fingerprint([name]);
}
