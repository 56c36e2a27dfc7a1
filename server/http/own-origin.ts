import type { H3Event } from "h3";
import { parseUrl } from "../url.ts";

/**
 * Whether a page of this server sent a request. Browsers add `Origin` to every request that changes something, so a
 * page of another site can't use the visitor's session. The host that the request was sent to counts as well as the
 * public address, because operators also open the dashboard by a name of the local network.
 */
export function isFromOwnPage({ req, url }: H3Event, publicUrl: string): boolean {
  const origin = req.headers.get("origin");
  const site = origin === null ? null : parseUrl(origin);
  if (site === null || !/^https?:$/.test(site.protocol)) return false;
  return origin === new URL(publicUrl).origin || site.host === (req.headers.get("host") ?? url.host);
}
