import type { H3Event } from "h3";
import type { Services } from "../request/services.ts";
import { noteReach, noteScriptSite } from "./browser-sightings.ts";
import { serveStored, type StoredText } from "../http/stored-text.ts";

/** After an hour pages ask for `/svc.js` again, so a new version reaches them the same day. */
const SHORT_CACHE = "public, max-age=3600";
const LONG_CACHE = "public, max-age=31536000, immutable";

/** `GET /svc.js` and its content-hashed copy, which never changes. */
export function serveScript(
  services: Services,
  { script, isImmutable }: { script: StoredText; isImmutable: boolean },
) {
  return (event: H3Event): Response => {
    noteReach(services, event);
    noteScriptSite(services, event);
    return serveStored(event, script, {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": isImmutable ? LONG_CACHE : SHORT_CACHE,
      // Pages with COEP or integrity attributes may load it from any site.
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
  };
}
