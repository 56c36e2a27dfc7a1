import { FastResponse } from "srvx";
import { json } from "../http/answer.ts";
import type { DescribedEvents, DescribedRoute } from "./described-route.ts";
import { eventPostings } from "./events.ts";
import { openApiDocument } from "./document.ts";

/** The viewer shows the document; it styles itself by elements that it makes. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; " +
  "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Tidemark API</title>
    <link rel="icon" href="data:,">
    <script type="module" src="/docs.js"></script>
  </head>
  <body>
    <rapi-doc spec-url="/openapi.json" render-style="read" load-fonts="false" show-header="false"
      allow-spec-file-download="true" sort-endpoints-by="none"></rapi-doc>
  </body>
</html>
`;

/** `GET /openapi.json`; made when it is first asked for, as most processes never are. */
export function serveDocument(
  routes: DescribedRoute[],
  { publicUrl, events }: { publicUrl: string; events: DescribedEvents },
) {
  let document: object | null = null;
  return (): Response => {
    document ??= { ...openApiDocument(routes, { publicUrl }), webhooks: eventPostings(events) };
    return json(document, { "access-control-allow-origin": "*" });
  };
}

/** `GET /docs`: the document for people. */
export function docsPage(): Response {
  return new FastResponse(PAGE, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
    },
  });
}

/** `GET /docs.js`: the viewer, as its package has it. */
export function serveViewer(viewer: string) {
  return (): Response =>
    new FastResponse(viewer, {
      headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "public, max-age=86400" },
    });
}
