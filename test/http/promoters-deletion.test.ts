import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { leads } from "../../server/domain/lead.ts";
import { STORAGES, startApp, type TestApp } from "../support/app.ts";
import { v1 } from "../support/calls.ts";

describe.each(STORAGES)("what a deleted promoter leaves behind on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    for (const ref_id of ["jane", "bob"])
      await v1(app, "POST", "/promoters/create", { email: `${ref_id}@example.com`, ref_id });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const remove = () => v1(app, "DELETE", "/promoters/delete", { id: "1" });

  describe("a lead", () => {
    const signup = (params: Record<string, string>) =>
      v1(app, "POST", "/track/signup", { email: "lead@example.com", ref_id: "bob", ...params });
    const stored = () => app.services.store.get(leads, app.accountId, 1);
    beforeEach(async () => {
      await signup({ ref_id: "jane" });
      await remove();
    });

    it("can be overridden, and stays theirs", async () => {
      expect(await signup({ username: "new", override_existing_lead: "true" })).toMatchObject({
        status: 200,
        body: { id: 1, lead: { id: 1, username: "new" }, promoter: { id: 2 } },
      });
      expect(await stored()).toMatchObject({ username: "new", promoterId: 1, promoterCampaignId: 1 });
      expect(await signup({})).toMatchObject({ status: 422 });
    });

    it("can have its first sign-up event", async () => {
      await app.services.store.transact(async (tx) => {
        const lead = await tx.get(leads, app.accountId, 1);
        await tx.put(leads, { ...lead!, signupEventId: null });
      });
      expect(await signup({ username: "x" })).toMatchObject({ status: 200, body: { promoter: { id: 2 } } });
      expect(await stored()).toMatchObject({ username: "x", promoterId: 1 });
    });
  });
});
