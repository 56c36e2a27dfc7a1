import type { Item } from "./queue.ts";

/**
 * How long a URL may hand the visitor over. After that, a friend who got the link would count as the same visitor.
 */
const LIFE_MS = 120_000;
/**
 * The fields of an event of a visitor whom another site has handed over. The server gives that visitor to the first browser
 * that opens the URL, and `spare_tid`, which the page has made, to the next one.
 */
export function handedOver({ fields: { handed_over, ...fields }, at }: Item): object {
  const handed_at = Number(`${handed_over}`.slice(36));
  return at - handed_at < LIFE_MS
    ? { ...fields, tid: `${handed_over}`.slice(0, 36), handed_at, spare_tid: fields["tid"] }
    : fields;
}
