import type { EventHandler } from "h3";
import { plainText } from "../http/answer.ts";
import type { Services } from "../request/services.ts";
import { DAY_MS } from "../domain/span.ts";

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 90;

/**
 * `GET /.well-known/security.txt`: where to report a weakness of this server.
 *
 * @param contact a URI
 * @see RFC 9116
 */
export function securityTxt({ clock, public_url }: Services, contact: string): EventHandler {
  return () => {
    const today = Math.floor(clock().getTime() / DAY_MS);
    const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString();
    const canonical = `${public_url}/.well-known/security.txt`;
    return plainText(`Contact: ${contact}\nExpires: ${expires}\nCanonical: ${canonical}\n`, {
      "cache-control": "max-age=86400",
    });
  };
}
