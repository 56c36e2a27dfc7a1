import { afterEach, beforeEach, expect, it } from "vitest";
import { KEY, NOW, startApp, type TestApp } from "../../support/app.ts";
import { visitingPromoter } from "../../support/portal.ts";
import { company, invalid, outcome } from "../../support/v2.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

/** One red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);
const DATA_URL = `data:image/png;base64,${PNG.toString("base64")}`;
const NO_FILE = { file_format: null, file_size: null, image_size: { width: null, height: null } };
const TEXT = {
  id: 1,
  name: "Spring",
  allowed_campaign_ids: [],
  details: NO_FILE,
  content: "Try Acme: {{ref_link}}",
  landing_page_url: null,
  asset_type: "text",
  url: null,
  thumbnail_url: null,
  uploading: false,
  category: null,
  allowed_campaigns: [],
  clicks_count: 0,
  created_at: NOW,
};
const DEFAULT_CAMPAIGN = { id: 1, name: "Default campaign", color: "#2563eb" };
const call = (request: string, body?: unknown) => outcome(company(app, request, body));
const make = async (body: Record<string, unknown>) =>
  (await company(app, "POST /assets", body)).body as { id: number; url: string };
const fileOf = (url: string) => app.request(new URL(url).pathname);
const done = (label: string, ids: number[], errors: string[] = []) => ({
  status: 200,
  body: {
    id: expect.any(Number) as number,
    status: "completed",
    total: ids.length,
    selected_total: ids.length,
    processed_count: ids.length - errors.length,
    failed_count: errors.length,
    action_label: label,
    created_at: NOW,
    updated_at: NOW,
    meta: {},
    progress: 100,
    processing_errors: errors,
  },
});

it("makes a text, and shows it", async () => {
  const made = { status: 200, body: TEXT };
  expect(await call("POST /assets", { name: "Spring", asset_type: "text", content: TEXT.content })).toEqual(
    made,
  );
  expect(await call("GET /assets/1")).toEqual(made);
});

it("keeps an image from JSON, and serves it to anybody", async () => {
  const { id, url } = await make({
    name: "Banner",
    asset_type: "image",
    file: DATA_URL,
    allowed_campaign_ids: [1],
  });
  expect(url).toMatch(/^https:\/\/track\.acme\.example\/uploads\/[\w-]{22}\.png$/);
  expect(await call(`GET /assets/${id}`)).toEqual({
    status: 200,
    body: {
      ...TEXT,
      id,
      name: "Banner",
      asset_type: "image",
      content: null,
      allowed_campaign_ids: [1],
      allowed_campaigns: [DEFAULT_CAMPAIGN],
      details: { file_format: "png", file_size: PNG.length, image_size: { width: 1, height: 1 } },
      url,
      thumbnail_url: url,
    },
  });
  const served = await fileOf(url);
  expect(Buffer.from(await served.arrayBuffer()).equals(PNG)).toBe(true);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    "content-type": "image/png",
    "content-disposition": "inline",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=31536000, immutable",
  });
});

it("keeps a document from a multipart form, and serves it as a download", async () => {
  const form = new FormData();
  form.set("name", "Guide");
  form.set("asset_type", "document");
  form.set("file", new Blob(["%PDF-1.7\nhello"]), "../../guide.pdf");
  const answer = await app.request("/api/v2/company/assets", {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "account-id": "acme" },
    body: form,
  });
  const { url, details } = (await answer.json()) as { url: string; details: object };
  expect([answer.status, details]).toEqual([
    200,
    { file_format: "pdf", file_size: 14, image_size: { width: null, height: null } },
  ]);
  const served = await fileOf(url);
  expect(await served.text()).toBe("%PDF-1.7\nhello");
  expect(served.headers.get("content-disposition")).toBe("attachment");
});

it.each([
  ["a page", "<html><script>alert(1)</script>"],
  ["an SVG", '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script/></svg>'],
  ["the beginning of an image", "\u0089PNG\r\n"],
  ["no bytes that mean anything", "\u0000\u0001"],
])("refuses %s as a file", async (_, content) => {
  const file = Buffer.from(content).toString("base64");
  const fault =
    "must be a PNG, JPEG, GIF or WebP image, a PDF file or a ZIP file (Office files are ZIP files)";
  expect(await call("POST /assets", { name: "Banner", asset_type: "document", file })).toEqual(
    invalid({ file: [fault] }),
  );
});

it("names each fault of an asset", async () => {
  const fault = async (body: object) => call("POST /assets", { name: "Banner", ...body });
  expect(await fault({ asset_type: "image" })).toEqual(invalid({ file: ["can't be blank"] }));
  expect(await fault({ asset_type: "link" })).toEqual(invalid({ url: ["can't be blank"] }));
  expect(await fault({ asset_type: "text" })).toEqual(invalid({ content: ["can't be blank"] }));
  expect(await fault({ asset_type: "image", file: "not base64!" })).toEqual(
    invalid({ file: ["must be the file's bytes in base64"] }),
  );
  const pdf = Buffer.from("%PDF-1.7").toString("base64");
  expect(await fault({ asset_type: "image", file: pdf })).toEqual(
    invalid({ file: ["must be an image (PNG, JPEG, GIF or WebP)"] }),
  );
  expect(
    await fault({ asset_type: "text", content: "x", category_id: 9, allowed_campaign_ids: [1, 8] }),
  ).toEqual(
    invalid({ allowed_campaign_ids: ["names no campaign: 8"], category_id: ["names no category: 9"] }),
  );
});

it("gives a changed file another address, and forgets the old one", async () => {
  const { id, url } = await make({ name: "Banner", asset_type: "image", file: DATA_URL });
  const { body } = await call(`PUT /assets/${id}`, { file: DATA_URL });
  const { url: next } = body as { url: string };
  expect(next).not.toBe(url);
  expect([(await fileOf(url)).status, (await fileOf(next)).status]).toEqual([404, 200]);
  await call(`PUT /assets/${id}`, { url: "https://cdn.example.com/banner.png" });
  expect((await fileOf(next)).status).toBe(404);
});

it("deletes assets with their files, and names those that are not there", async () => {
  const { id, url } = await make({ name: "Banner", asset_type: "image", file: DATA_URL });
  expect(await call("DELETE /assets/destroy", { ids: [id, 99] })).toEqual(
    done("asset/destroy", [id, 99], ["99: Asset not found."]),
  );
  expect((await fileOf(url)).status).toBe(404);
  expect((await call("GET /assets")).body).toEqual([]);
});

it("keeps categories in their order, and takes them from assets when they are removed", async () => {
  const category = (id: number, name: string, position: number) => ({
    id,
    name,
    position,
    created_at: NOW,
    updated_at: NOW,
  });
  const asked = [
    { name: "Texts", position: 2 },
    { name: "Banners", position: 1 },
  ];
  const made = [category(2, "Banners", 1), category(1, "Texts", 2)];
  expect(await call("PUT /assets/categories", { asset_categories: asked })).toEqual({
    status: 200,
    body: made,
  });
  expect((await call("GET /assets/categories")).body).toEqual(made);
  const { id } = await make({ name: "Spring", asset_type: "text", content: "x" });
  expect(await call("PUT /assets/update_category", { ids: [id], category_id: 2 })).toEqual(
    done("asset/update_category", [id]),
  );
  expect((await call(`GET /assets/${id}`)).body).toMatchObject({
    category: { id: 2, name: "Banners", position: 1 },
  });
  const changes = [
    { id: 2, name: "Banners", position: 1, _destroy: true },
    { id: 1, name: "Words", position: 5 },
  ];
  expect((await call("PUT /assets/categories", { asset_categories: changes })).body).toEqual([
    category(1, "Words", 5),
  ]);
  expect((await call(`GET /assets/${id}`)).body).toMatchObject({ category: null });
});

it("finds assets by text, type, category, campaign and day", async () => {
  await call("PUT /assets/categories", { asset_categories: [{ name: "Banners", position: 1 }] });
  await company(app, "POST /campaigns", { name: "Second", landing_url: "https://www.acme.example/" });
  await make({ name: "Spring words", asset_type: "text", content: "x", category_id: 1 });
  await make({
    name: "Autumn page",
    asset_type: "link",
    url: "https://www.acme.example/a",
    allowed_campaign_ids: [1],
  });
  const names = async (query: string) =>
    ((await call(`GET /assets?${query}`)).body as { name: string }[]).map(({ name }) => name);
  expect(await names("")).toEqual(["Autumn page", "Spring words"]);
  expect(await names("q=SPRING")).toEqual(["Spring words"]);
  expect(await names("filters[asset_type]=link")).toEqual(["Autumn page"]);
  expect(await names("filters[category_id]=1")).toEqual(["Spring words"]);
  expect(await names("filters[campaign_id]=99")).toEqual(["Spring words"]);
  expect(await names("filters[created_at][from]=2027-01-01")).toEqual([]);
});

it("shows promoters the assets of their campaigns, with their own links", async () => {
  const jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
  const second = await company(app, "POST /campaigns", {
    name: "Second",
    landing_url: "https://www.acme.example/",
  });
  const { id: other } = second.body as { id: number };
  await call("PUT /assets/categories", { asset_categories: [{ name: "Words", position: 1 }] });
  await make({ name: "Hidden", asset_type: "text", content: "x", allowed_campaign_ids: [other] });
  const { id } = await make({
    name: "Spring",
    asset_type: "text",
    content: TEXT.content,
    category_id: 1,
    allowed_campaign_ids: [1, other],
    landing_page_url: "https://www.acme.example/spring",
  });
  const url = `https://www.acme.example/spring?via=jane&sub_id=asset-${id}`;
  const { clicks_count: _, ...text } = TEXT;
  expect(await jane.outcome("GET /assets")).toEqual({
    status: 200,
    body: [
      {
        ...text,
        id,
        content: `Try Acme: ${url}`,
        landing_page_url: "https://www.acme.example/spring",
        category: "Words",
        allowed_campaign_ids: [1],
        allowed_campaigns: [DEFAULT_CAMPAIGN],
        links: [{ promoter_campaign_id: 1, url }],
      },
    ],
  });
  expect((await jane.outcome("GET /asset_categories")).body).toMatchObject([{ name: "Words" }]);
  const tid = "11111111-1111-4111-8111-111111111111";
  expect((await app.browser("/t/click", { tid, cid: "acme", ref_id: "jane", url })).status).toBe(200);
  expect((await call(`GET /assets/${id}`)).body).toMatchObject({ clicks_count: 1 });
});
