import { createCampaign, emailsOf } from "../../../server/domain/program/campaign/campaign.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccount, createFirstAccount } from "../../../server/domain/access/account-creation.ts";
import { findFirstAccount } from "../../../server/domain/program/account/account.ts";
import { systemChance, type Context } from "../../../server/domain/context.ts";
import { fillDemo, needsDemoData } from "../../../server/domain/seed/seed.ts";
import { createWebhook } from "../../../server/domain/events/webhook/webhook.ts";
import { NOW } from "../../support/app.ts";
import { temporaryStore } from "../../support/temporary-store.ts";

const LANDING = { landing_url: "https://www.acme.example/" };
const MORE =
  "Demo data can only fill an empty store, and the store of STORAGE_URL has more than its first account";
const INTERRUPTED =
  "Filling the store of STORAGE_URL with demo data was interrupted: delete that store, and start again";

let context: Context;
let firstId: number;
beforeEach(async () => {
  const { store } = await temporaryStore("memory");
  context = { store, now: new Date(NOW), chance: systemChance };
  const first = await createFirstAccount(context, { name: "First account", ...LANDING, owner: null });
  firstId = first!.account.id;
});
afterEach(() => context.store.close());

const needs = (isWanted = true) => needsDemoData(context.store, isWanted);

it("refuses a store whose filling was interrupted, whether or not demo data is wanted", async () => {
  const cut = new Error("cut");
  const filling = fillDemo(context, (await findFirstAccount(context.store))!, () => {
    throw cut;
  });
  await expect(filling).rejects.toBe(cut);
  await expect(needs()).rejects.toThrow(INTERRUPTED);
  await expect(needs(false)).rejects.toThrow(INTERRUPTED);
});

describe("refuses a store that holds", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["another account", () => createAccount(context, { name: "Second", ...LANDING })],
    [
      "another campaign",
      () =>
        context.store.transact((tx) => createCampaign(tx, context, firstId, { name: "Second", ...LANDING })),
    ],
    [
      "a webhook",
      () =>
        context.store.transact((tx) =>
          createWebhook(tx, context, firstId, { url: "https://a.example/", event_types: [], emailsOf }),
        ),
    ],
  ])("%s", async (_, make) => {
    await make();
    await expect(needs()).rejects.toThrow(MORE);
    expect(await needs(false)).toBe(false);
  });
});
