import { afterEach, beforeEach, expect, it } from "vitest";
import { startApp, type TestApp } from "../../support/app.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

it("a NUL and half of a surrogate pair become U+FFFD, in the answer as in the store", async () => {
  const profile = { first_name: "J\0", address: "\udc00" };
  const made = await app.v2("POST", "/promoters", { email: "jane@example.com", cust_id: "c\ud800", profile });
  const shown = { cust_id: "c\ufffd", profile: { first_name: "J\ufffd", address: "\ufffd" } };
  expect(made).toMatchObject({ status: 201, body: shown });
  const changes = { note: "a\0b", custom_fields: { "k\0": ["v\0", "\u{1f600}"] } };
  const changed = await app.v2("PUT", "/promoters/1", changes);
  expect(changed).toMatchObject({
    status: 200,
    body: { ...shown, note: "a\ufffdb", custom_fields: { "k\ufffd": ["v\ufffd", "\u{1f600}"] } },
  });
  expect(changed.body).toMatchObject((await app.v2("GET", "/promoters/1")).body as object);
  expect(await app.v1("/promoters/show", { cust_id: "c\0" })).toMatchObject({ status: 200 });
});

it("a NUL in a form becomes U+FFFD, too", async () => {
  const params = { email: "jane@example.com", note: "a\0b" };
  expect(await app.v1("/promoters/create", params)).toMatchObject({ body: { note: "a\ufffdb" } });
});
