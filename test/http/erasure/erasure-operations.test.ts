import { expect, it } from "vitest";
import { startApp } from "../../support/app.ts";
import { addUser, callAs } from "../../support/users.ts";
import { company } from "../../support/v2.ts";

it("owners erase a promoter and a lead who has bought something, and money stays", async () => {
  const app = await startApp();
  await app.v1("/promoters/create", {
    email: "zqxjkvzq@example.com",
    ref_id: "zqxjkvzq",
    first_name: "Zqxjkvzq",
  });
  await app.v1("/track/sale", {
    email: "zqxjkvzq@lead.example",
    event_id: "s1",
    amount: "1000",
    ref_id: "zqxjkvzq",
  });
  const owner = await callAs(app, await addUser(app, "owner"));
  const manager = await callAs(app, await addUser(app, "manager"));
  expect((await manager("POST /promoters/1/erase")).status).toBe(403);
  expect(await owner("POST /referrals/1/erase")).toMatchObject({
    status: 200,
    body: { message: "The lead's personal data was erased" },
  });
  expect(await owner("POST /promoters/1/erase")).toMatchObject({
    status: 200,
    body: { message: "The promoter's personal data was erased" },
  });
  expect(await app.stored.placesOf("zqxjkvzq")).toEqual([]);
  expect(await company(app, "GET /referrals/1")).toMatchObject({
    body: { state: "active", email: "erased-1@erased.invalid" },
  });
  const { body } = await company(app, "GET /audit_log?filters[action]=erased");
  expect(body).toMatchObject([
    { entity: "promoter", entity_id: "1", actor: { name: "owner@acme.example" } },
    { entity: "referral", entity_id: "1", actor: { name: "owner@acme.example" } },
  ]);
  for (const path of ["/promoters/99/erase", "/referrals/99/erase"]) {
    expect((await owner(`POST ${path}`)).status).toBe(404);
  }
  expect(app.bugs).toEqual([]);
  await app.close();
});
