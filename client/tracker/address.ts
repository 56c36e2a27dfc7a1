import { quietly } from "./quietly.ts";

/** The longest address that is sent. */
const MAX_LENGTH = 2_000;
/** Parameters that are nobody else's business, and what one site of ours hands over to another. */
const SECRET = /token|secret|passw|session|key$|^(code|state|auth|sig|otp|_svc_tid)$/i;

/** `URL` by its other name in the standard: pages have been seen that call something of their own `URL`. */
const { webkitURL: Address } = globalThis as unknown as { webkitURL: typeof URL };

/** An address in its parts; one that is relative begins where the page is. @throws TypeError for what is none */
export const parse = (address: string): URL => new Address(address, location.href);

/** A UUID v4. Browsers end the names of blobs with one, on plain http too, where crypto.randomUUID is missing. */
export const uuid = (): string => Address.createObjectURL(new Blob()).slice(-36);

/** An address as it may be sent: without fragment, password and secrets; of one that is too long the beginning, and a mark. */
export const sendable = (address: string): string | undefined =>
  quietly(() => {
    const url = parse(address);
    url.hash = url.username = url.password = "";
    const secrets = [...url.searchParams.keys()].filter((name) => SECRET.test(name));
    for (const name of secrets) url.searchParams.delete(name);
    const text = address && url.href;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  });
