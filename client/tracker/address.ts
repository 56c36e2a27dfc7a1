import { quietly } from "./quietly.ts";

/** Longer addresses are cut before they are sent. */
const MAX_LENGTH = 2_000;
/** The parameter that names the visitor to another of the customer's sites. */
export const HANDOVER = "_svc_tid";
/** Parameters that are private, and the one that hands a visitor over. */
const SECRET = /token|secret|passw|session|key$|^(code|state|auth|sig|otp|_svc_tid)$/i;

/** Another standard name for `URL`: some pages define something else as `URL`. */
const { webkitURL: Address } = globalThis as unknown as { webkitURL: typeof URL };

/** Parses an address; a relative one starts from the page. @throws TypeError for a malformed address */
export const parse = (address: string): URL => new Address(address, location.href);

/** Makes a UUID v4. On plain http browsers have no crypto.randomUUID, but blob URLs end with one. */
export const uuid = (): string => crypto.randomUUID?.() ?? Address.createObjectURL(new Blob()).slice(-36);

/**
 * Makes an address safe to send: without fragment, password and secrets, and cut with a mark if it is too
 * long.
 */
export const sendable = (address: string): string | undefined =>
  address &&
  quietly(() => {
    const url = parse(address);
    url.hash = url.username = url.password = "";
    // A copy, because some are removed meanwhile.
    for (const name of new Set(url.searchParams.keys())) if (SECRET.test(name)) url.searchParams.delete(name);
    const text = url.href;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  });
