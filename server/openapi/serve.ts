import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { serveStored, storeText, type StoredText } from "../http/answer.ts";
import type { DescribedEvents, DescribedRoute } from "./operation.ts";
import { basePath } from "../url.ts";
import { docsHtml, VIEWER_SCRIPT } from "./docs-page.ts";
import { openApiDocument } from "./document.ts";

/** The page has a style element, and the viewer adds its own. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; " +
  "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

export function serveDocument(
  describe: () => DescribedRoute[],
  given: { public_url: string; events: DescribedEvents },
) {
  const documentOnce = once(() => storeText(JSON.stringify(openApiDocument(describe(), given))));
  return (event: H3Event): Response =>
    serveStored(event, documentOnce(), {
      "content-type": "application/json; charset=utf-8",
      // Clients revalidate every time, and get 304 until an update of the server changes the document.
      "cache-control": "no-cache",
      "access-control-allow-origin": "*",
    });
}

/** `GET /docs`: the operations, and each of them in a viewer. */
export function docsPage(describe: () => DescribedRoute[], { public_url }: { public_url: string }) {
  const htmlOnce = once(() => storeText(docsHtml(describe(), basePath(public_url))));
  return (event: H3Event): Response =>
    serveStored(event, htmlOnce(), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-cache",
    });
}

export function docsScript(): Response {
  return new FastResponse(VIEWER_SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8" },
  });
}

/** `GET /docs.js`: the viewer, unchanged from its package. */
export function serveViewer(viewer: string) {
  const viewerOnce = once(() => storeText(viewer));
  return (event: H3Event): Response =>
    serveStored(event, viewerOnce(), {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=86400",
    });
}

/** Makes a text on the first request, because most processes never serve it. */
function once(make: () => StoredText): () => StoredText {
  let made: StoredText | null = null;
  return () => (made ??= make());
}
