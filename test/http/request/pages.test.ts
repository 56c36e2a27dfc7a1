import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerOf, startApp, type TestApp } from "../../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const get = async (path: string) => answerOf(await app.request(path));

/** The policy of a page, without the part that says who may frame it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'";

const BRAND =
  '<meta name="tidemark-brand" content="{&quot;name&quot;:&quot;Acme&quot;,&quot;logo_url&quot;:null,' +
  '&quot;favicon_url&quot;:null,&quot;colors&quot;:null}">\n';

describe("the shell of the pages", () => {
  it.each([
    ["/admin", "dashboard", "Tidemark"],
    ["/admin/promoters/17", "dashboard", "Tidemark"],
    ["/portal", "portal", "Promoter portal"],
    ["/portal/payouts", "portal", "Promoter portal"],
    ["/iframe?tk=secret", "portal", "Promoter portal"],
    ["/join/1", "join", "Become a promoter"],
  ])("%s loads the app %s and says what to do without script", async (path, name, title) => {
    const { status, body, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(body).toBe(`<!doctype html>
<html lang="en" dir="ltr" data-base="">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${name === "dashboard" ? "" : BRAND}<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/${name}-3.css">
<link rel="modulepreload" href="/assets/${name}-2.js">
<script type="module" src="/assets/${name}-1.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>
<div class="lone"><div class="card stack">
<h1>This page needs JavaScript</h1>
<p>Allow scripts for this address, then reload it.</p>
<p>Programs can do all of this through the API: <a href="/docs">https://track.acme.example/docs</a>.</p>
</div></div>
</noscript>
</body>
</html>
`);
  });

  it.each(["/admin", "/join/1"])("%s may never stand in a frame", async (path) => {
    const { headers } = await get(path);
    expect(headers.get("content-security-policy")).toBe(`${POLICY}; frame-ancestors 'none'`);
  });

  it("the portal may stand in frames of the sites that accounts name", async () => {
    const framing = async () => (await get("/iframe")).headers.get("content-security-policy");
    expect(await framing()).toBe(`${POLICY}; frame-ancestors 'self'`);
    const account = (await app.records.get("account", app.account_id))!;
    const portalOrigins = ["https://app.acme.example", "https://*; script-src *"];
    await app.records.put("account", { ...account, portal_origins: portalOrigins });
    expect(await framing()).toBe(`${POLICY}; frame-ancestors 'self' https://app.acme.example`);
  });
});

describe("the files of the pages", () => {
  it("are kept by browsers for ever, because their names change with them", async () => {
    const { status, body, headers } = await get("/assets/dashboard-1.js");
    expect({ status, body }).toEqual({ status: 200, body: "/* the dashboard's script */" });
    expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await get("/assets/dashboard-3.css")).headers.get("content-type")).toBe(
      "text/css; charset=utf-8",
    );
  });

  it("are sent compressed", async () => {
    const answer = await app.request("/assets/dashboard-1.js", {
      headers: { "accept-encoding": "gzip, br" },
    });
    expect(answer.headers.get("content-encoding")).toBe("br");
  });

  it.each(["/assets/dashboard.json", "/assets/..%2Fserver%2Fmain.js", "/assets/"])(
    "%s is not one of them",
    async (path) => {
      const { status, body } = await get(path);
      expect({ status, body }).toEqual({ status: 404, body: { error: "Not found" } });
    },
  );
});
