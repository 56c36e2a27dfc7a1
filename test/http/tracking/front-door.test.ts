import { afterEach, beforeEach, expect, it } from "vitest";
import { createApp } from "../../../server/app.ts";
import { storeText } from "../../../server/http/answer.ts";
import { BUILT_PAGES, startApp, type TestApp } from "../../support/app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startApp()));
afterEach(() => app.close());

it.each([
  [true, "/demo", "Tidemark demo"],
  [false, "/docs", "Tidemark API"],
])("redirects from / to a page that exists, with the demo: %j", async (hasDemo, location, content) => {
  const pages = createApp(app.services, {
    script: storeText(""),
    more: storeText(""),
    built: BUILT_PAGES,
    docsViewer: "",
    hasDemo,
    metricsToken: null,
    securityContact: null,
  });
  const answer = await pages.request("/");
  expect([answer.status, answer.headers.get("location")]).toEqual([302, location]);
  const page = await pages.request(location);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain(content);
});
