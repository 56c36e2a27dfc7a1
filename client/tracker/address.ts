import { quietly } from "./quietly.ts";

/** Longer URLs are truncated before they are sent. */
const MAX_LENGTH = 2_000;
/** The URL parameter that hands the visitor over to another of the customer's sites. */
export const HANDOVER = "_svc_tid";
/** Private parameters, and the one that hands a visitor over. */
const SECRET = /token|secret|passw|session|key$|^(code|state|auth|sig|otp|_svc_tid)$/i;

/** A standard alias of `URL`, because some pages redefine `URL`. */
const { webkitURL: Address } = globalThis as unknown as { webkitURL: typeof URL };

/** Parses a URL, relative to the page. @throws TypeError for a malformed URL */
export const parse = (address: string): URL => new Address(address, location.href);

/** Makes a UUID v4. On plain http, browsers have no crypto.randomUUID, but blob URLs end with a UUID. */
export const uuid = (): string => crypto.randomUUID?.() ?? Address.createObjectURL(new Blob()).slice(-36);

/**
 * Makes a URL safe to send: without fragment, password and secrets, and truncated with a mark if it is too long.
 */
export const sendable = (address: string): string | undefined =>
  quietly(() => {
    const url = parse(address);
    url.hash = url.username = url.password = "";
    const secrets = [...url.searchParams.keys()].filter((name) => SECRET.test(name));
    for (const name of secrets) url.searchParams.delete(name);
    const text = address && url.href;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  });
