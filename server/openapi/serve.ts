import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { serveStored, storeText, type StoredText } from "../http/stored-text.ts";
import type { DescribedEvents, DescribedRoute } from "./described-route.ts";
import { basePath } from "../url.ts";
import { openApiDocument } from "./document.ts";
import { VIEWER_SCRIPT } from "./viewer-script.ts";

/** The viewer shows the document, and adds its own style elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; " +
  "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

const page = (base: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Tidemark API</title>
    <link rel="icon" href="data:,">
    <script type="module" src="${base}/docs-page.js"></script>
    <script type="module" src="${base}/docs.js"></script>
  </head>
  <body>
    <header><h1 style="position: absolute; clip-path: inset(50%)">Tidemark API</h1></header>
    <rapi-doc spec-url="${base}/openapi.json" load-fonts="false" show-header="false"
      allow-spec-file-download="true" sort-endpoints-by="none"></rapi-doc>
  </body>
</html>
`;

/** `GET /openapi.json` */
export function serveDocument(
  describe: () => DescribedRoute[],
  given: { publicUrl: string; events: DescribedEvents },
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

/** `GET /docs`: the document in a viewer. */
export function docsPage({ publicUrl }: { publicUrl: string }) {
  const html = page(basePath(publicUrl));
  return (): Response =>
    new FastResponse(html, {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
      },
    });
}

/** `GET /docs-page.js` */
export function docsScript(): Response {
  return new FastResponse(VIEWER_SCRIPT, {
    headers: { "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
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
