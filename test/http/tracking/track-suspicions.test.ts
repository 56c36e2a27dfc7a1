import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { addCampaign } from "../../support/v2.ts";

const TID = "7f1b2c3d-1111-4222-8333-444455556666";

describe.each(STORAGES)("the suspicion of a lead on %s", (storage) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(storage);
    await app.v1("/promoters/create", { email: "jane@example.com", first_name: "Jane" });
    await app.v1("/promoters/create", { email: "bob@example.com", first_name: "Bob" });
  });
  afterEach(async () => {
    expect(app.bugs).toEqual([]);
    await app.close();
  });

  const lead = async (params: Record<string, string>) =>
    ((await app.v1("/track/signup", params)).body as { lead: Record<string, unknown> }).lead;

  it.each([
    ["jane@example.com", "same_promoter_email"],
    ["JANE+x@Example.com", "same_promoter_email"],
    ["j.ane@example.com", "no_suspicion"],
  ])("judges %s as %s", async (email, suspicion) => {
    expect(await lead({ email, ref_id: "jane" })).toMatchObject({ suspicion });
  });

  it("ignores dots in Gmail addresses", async () => {
    await app.v1("/promoters/create", { email: "j.doe@gmail.com", ref_id: "gm" });
    expect(await lead({ email: "JD.oe+1@googlemail.com", ref_id: "gm" })).toMatchObject({
      suspicion: "same_promoter_email",
    });
  });

  it("knows the address that the promoter was created from", async () => {
    await app.v1(
      "/promoters/create",
      { email: "home@example.com", ref_id: "home" },
      { "x-forwarded-for": "203.0.113.5" },
    );
    expect(await lead({ uid: "1", ref_id: "home", ip: "203.0.113.5" })).toMatchObject({
      suspicion: "same_ip_suspicion",
    });
    expect(await lead({ uid: "2", ref_id: "jane", ip: "203.0.113.5" })).toMatchObject({
      suspicion: "no_suspicion",
    });
    expect(await app.records.get("promoter", 3)).toMatchObject({
      fraud_suspicions: ["same_ip_suspicion"],
    });
  });

  it.each([
    ["::ffff:203.0.113.5", "203.0.113.5"],
    ["::FFFF:cb00:7105", "203.0.113.5"],
    ["2001:DB8:0:0::0001", "2001:db8::1"],
    ["[2001:db8::1%eth0]", "2001:db8:0::1"],
    [" 203.0.113.5 ", "203.0.113.5:443"],
  ])("reports that %s is %s", async (first, second) => {
    expect(await lead({ uid: "1", ref_id: "jane", ip: first })).toMatchObject({
      suspicion: "no_suspicion",
    });
    expect(await lead({ uid: "2", ref_id: "jane", ip: second })).toMatchObject({
      suspicion: "same_ip_suspicion",
    });
  });

  it.each(["1.2.3", "unknown", "203.0.113.5, 203.0.113.6", "x".repeat(5_000)])(
    "records a lead although its address is malformed (%#)",
    async (ip) => {
      expect(await lead({ uid: "1", ref_id: "jane", ip })).toMatchObject({ suspicion: "no_suspicion" });
      expect(await lead({ uid: "2", ref_id: "jane", ip })).toMatchObject({ suspicion: "no_suspicion" });
    },
  );

  it("recognises an address that another lead of the promoter used within a day", async () => {
    const from = (uid: string) => lead({ uid, ref_id: "jane", ip: "203.0.113.6" });
    expect(await from("1")).toMatchObject({ suspicion: "no_suspicion" });
    app.setNow("2026-03-05T05:06:07.889Z");
    expect(await from("2")).toMatchObject({ suspicion: "same_ip_suspicion" });
    app.setNow("2026-03-06T05:06:07.889Z");
    expect(await from("3")).toMatchObject({ suspicion: "no_suspicion" });
  });

  it("stores the address of frequent leads once a minute, because they would conflict otherwise", async () => {
    const seenAt = async () =>
      (await app.records.all("promoterAddress")).map(({ last_lead_at }) => last_lead_at);
    await lead({ uid: "1", ref_id: "jane", ip: "203.0.113.6" });
    app.setNow("2026-03-04T05:07:07.889Z");
    await lead({ uid: "2", ref_id: "jane", ip: "203.0.113.6" });
    expect(await seenAt()).toEqual([NOW]);
    app.setNow("2026-03-04T05:07:07.890Z");
    await lead({ uid: "3", ref_id: "jane", ip: "203.0.113.6" });
    expect(await seenAt()).toEqual(["2026-03-04T05:07:07.890Z"]);
  });

  it.each([
    ["pending", null, { suspicion: "ad_source" }],
    ["allow", null, { suspicion: "no_suspicion" }],
    ["block", null, undefined],
    ["block", true, { suspicion: "no_suspicion" }],
    ["allow", false, undefined],
  ] as const)("treats ads by the policy %s and the promoter's setting %s", async (policy, own, expected) => {
    const campaign = await addCampaign(app, {
      name: "Ads",
      landing_url: "https://acme.example/",
      track_ad_traffic: policy,
    });
    await app.v1("/promoters/create", {
      email: "ads@example.com",
      ref_id: "ads",
      campaign_id: String(campaign.id),
    });
    await app.records.change("promoter", 3, { track_ad_traffic: own });
    await app.browser("/t/click", {
      tid: TID,
      ref_id: "ads",
      url: "https://acme.example/?via=ads&gclid=abc",
    });
    const answer = await lead({ uid: "1", tid: TID });
    if (expected === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatchObject(expected);
  });

  it.each([
    ["fbclid=abc", false, "no_suspicion"],
    ["epik=abc", false, "no_suspicion"],
    ["fbclid=abc&utm_medium=paid_social", false, "ad_source"],
    ["gclid=abc", false, "ad_source"],
    ["fbclid=abc", true, "ad_source"],
    ["epik=abc", true, "ad_source"],
    ["gclid=abc", true, "ad_source"],
    ["fbclid=", true, "no_suspicion"],
  ])("of a visit with %s, if social clicks count as ads (%s), is %s", async (query, counts, suspicion) => {
    await app.v2("PUT", "/account", { counts_social_clicks_as_ads: counts });
    const url = `https://www.acme.example/?via=jane&${query}`;
    expect((await app.browser("/t/click", { tid: TID, ref_id: "jane", url })).body).toEqual({
      status: "recorded",
      tid: TID,
      ref_id: "jane",
      cookie_days: 60,
      has_cookies: false,
    });
    expect(await lead({ uid: "1", tid: TID })).toMatchObject({ suspicion });
  });

  it("is none if a blocked ad may be a post on Facebook", async () => {
    const [campaign] = (await app.v2("GET", "/campaigns")).body as { id: number }[];
    await app.v2("PUT", `/campaigns/${campaign!.id}`, { track_ad_traffic: "block" });
    const url = "https://www.acme.example/?via=jane&fbclid=abc";
    await app.browser("/t/click", { tid: TID, ref_id: "jane", url });
    expect(await lead({ uid: "1", tid: TID })).toMatchObject({ suspicion: "no_suspicion" });
  });
});
