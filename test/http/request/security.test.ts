import { afterEach, expect, it } from "vitest";
import { describedRoutes } from "../../../server/app.ts";
import { startApp, type TestApp } from "../../support/app.ts";

let app: TestApp;
afterEach(async () => {
  expect(app.bugs).toEqual([]);
  await app.close();
});

it("lets no browser guess the type of an answer, whatever the path and the status", async () => {
  app = await startApp();
  const paths = describedRoutes().map(({ method, path }) => [method, path.replace(/:\w+/g, "1")] as const);
  const others = [
    "/",
    "/svc.js",
    "/portal",
    "/portal?auth_token=x",
    "/admin",
    "/join/1",
    "/docs",
    "/docs.js",
  ];
  const more = ["/demo", "/unsubscribe", "/not-me", "/uploads/x.png", "/openapi.json", "/nothing", "/%ff"];
  const all = [...paths, ...[...others, ...more].map((path) => ["GET", path] as const)];
  const preflights = ["/t/click", "/t/signup"].map((path) => ["OPTIONS", path] as const);
  const wrong: string[] = [];
  for (const [method, path] of [...all, ...preflights, ["PATCH", "/healthz"] as const]) {
    const answer = await app.request(path, { method });
    if (answer.headers.get("x-content-type-options") !== "nosniff") wrong.push(`${method} ${path}`);
    await answer.body?.cancel();
  }
  expect(wrong).toEqual([]);
});

it("says where to report weaknesses, if the operator wants it", async () => {
  app = await startApp("memory", { securityContact: "mailto:security@acme.example" });
  const answer = await app.request("/.well-known/security.txt");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(await answer.text()).toBe(
    "Contact: mailto:security@acme.example\nExpires: 2026-06-02T00:00:00.000Z\n" +
      "Canonical: https://track.acme.example/.well-known/security.txt\n",
  );
});

it("has no such file without a contact", async () => {
  app = await startApp();
  expect((await app.request("/.well-known/security.txt")).status).toBe(404);
});
