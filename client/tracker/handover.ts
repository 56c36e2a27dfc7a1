import { parse, uuid } from "./address.ts";

/**
 * How long an address may name the visitor to another site. Later, somebody who got the link from a friend
 * would count as the same visitor.
 */
const LIFE_MS = 120_000;
/** The parameter that names the visitor to another of the customer's sites. */
export const PARAM = "_svc_tid";

/**
 * The visitor that another site handed over in an address. The server gives them to the first browser that comes with
 * it, and `spare_tid` to the next one.
 */
export function handedOver(address: string): object | undefined {
  const given = parse(address).searchParams.get(PARAM) || "";
  const handed_at = Number(given.slice(36));
  return Date.now() - handed_at < LIFE_MS
    ? { tid: given.slice(0, 36), handed_at, spare_tid: uuid() }
    : undefined;
}
