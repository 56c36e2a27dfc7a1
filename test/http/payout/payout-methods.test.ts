import { parse } from "csv-parse/sync";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getPayoutMethodOperation } from "../../../server/v2/payout/payout-methods.ts";
import { NOW_SECOND, STORAGES, startApp, type TestApp } from "../../support/app.ts";
import { NO_DETAILS, addPayout, addPromoter, changeAccount, movePayout } from "../../support/payouts.ts";
import { racesAtEachStep } from "../../support/race.ts";
import { invalid, addCampaign, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const BANK = { bank_country: "DE", account_holder_name: "Jane Roe", iban: "DE02120300000000202051" };

const paypal = { method: "paypal", is_selected: true, details: { wallet_email: "jane@example.com" } };

async function addJane({ context, account_id }: TestApp): Promise<RecordOf<"promoter">> {
  const account = await changeAccount(context, account_id, {});
  return addPromoter(context, account, { email: "jane@example.com" });
}

describe.each(STORAGES)("payout methods on %s", (storage) => {
  let app: TestApp;
  let jane: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp(storage);
    jane = await addJane(app);
  });
  afterEach(() => app.close());

  const create = (body: object) => app.v2("POST", "/payout_methods", { promoter_id: jane.id, ...body });
  const shown = {
    id: 1,
    method: "paypal",
    date_added: NOW_SECOND,
    is_disabled: false,
    meta: {},
    is_selected: true,
    details: { ...NO_DETAILS, wallet_email: "jane@example.com", paypal_email: "jane@example.com" },
    managed_payouts: false,
  };

  it("are given, shown and listed", async () => {
    const made = await create(paypal);
    expect([made.status, made.body]).toEqual([200, shown]);
    expect(getPayoutMethodOperation.answer.safeParse(made.body).error).toBeUndefined();
    expect((await app.v2("GET", "/payout_methods/1")).body).toEqual(shown);
    const { body, headers } = await app.v2("GET", `/payout_methods?filters%5Bpromoter_id%5D=${jane.id}`);
    expect([body, headers.get("total")]).toEqual([[shown], "1"]);
  });

  it("accept and show paypal_email as another name of wallet_email", async () => {
    const given = { ...paypal, details: { wallet_email: "", paypal_email: "jane@example.com" } };
    const made = await create(given);
    expect([made.status, made.body]).toEqual([200, shown]);
    const again = await app.v2("PUT", "/payout_methods/1", { details: shown.details });
    expect([again.status, again.body]).toEqual([200, shown]);
  });

  it("show every documented detail beside the company's own, which are text where they are documented", async () => {
    const { body } = await create({ method: "custom", details: { iban: 7, purse: { in: "the safe" } } });
    expect(body).toMatchObject({ details: { ...NO_DETAILS, iban: "7", purse: { in: "the safe" } } });
    const refused = await create({ method: "custom", details: { iban: {} } });
    expect({ status: refused.status, body: refused.body }).toEqual(
      invalid({ "details[iban]": ["is invalid"] }),
    );
  });

  it("refuse two different wallets", async () => {
    const { status, body } = await create({
      ...paypal,
      details: { wallet_email: "jane@example.com", paypal_email: "other@example.com" },
    });
    expect([status, body]).toEqual([
      422,
      {
        message: "Validation failed: details[paypal_email] is not the same as wallet_email",
        code: "invalid_params",
        errors: { "details[paypal_email]": ["is not the same as wallet_email"] },
      },
    ]);
  });

  it("are selected one at a time", async () => {
    await create(paypal);
    await create({ method: "bank", details: BANK, is_selected: "yes" });
    const { body } = await app.v2("GET", `/payout_methods?filters[promoter_id]=${jane.id}`);
    expect(
      (body as { id: number; is_selected: boolean }[]).map((each) => [each.id, each.is_selected]),
    ).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it("change in part, and keep the rest", async () => {
    await create(paypal);
    const changed = await app.v2("PATCH", "/payout_methods/1", { is_disabled: true });
    expect(changed.body).toEqual({ ...shown, is_disabled: true });
    const moved = await app.v2("PUT", "/payout_methods/1", { method: "bank", details: BANK });
    expect(moved.body).toEqual({
      ...shown,
      is_disabled: true,
      method: "bank",
      details: { ...NO_DETAILS, ...BANK },
    });
  });

  it("are checked as strictly as those of promoters, if asked", async () => {
    const details = { bank_country: "IN", account_holder_name: "Jane Roe", ifsc_code: "HDFC1" };
    const given = { promoter_id: 1, method: "bank", details };
    expect(await outcome(app.v2("POST", "/payout_methods", { ...given, checks_details: true }))).toEqual(
      invalid({
        "details[ifsc_code]": ["must be like HDFC0001234"],
        "details[account_number]": ["can't be blank"],
      }),
    );
    expect((await app.v2("POST", "/payout_methods", given)).status).toBe(200);
  });

  it("never hold the details of another method", async () => {
    await create(paypal);
    const { status, body } = await app.v2("PUT", "/payout_methods/1", { method: "bank" });
    expect([status, Object.keys((body as { errors: object }).errors)]).toEqual([
      422,
      ["details[bank_country]", "details[account_holder_name]"],
    ]);
    expect((await app.v2("GET", "/payout_methods/1")).body).toEqual(shown);
  });

  it.each([
    [{ method: "cheque" }, "method"],
    [{ method: "paypal", details: { wallet_email: "no address" } }, "details[wallet_email]"],
    [{ method: "paypal", details: { paypal_email: "no address" } }, "details[paypal_email]"],
    [{ method: "paypal", details: {} }, "details[wallet_email]"],
    [{ method: "crypto", details: { wallet_address: "x" } }, "details[crypto_currency]"],
    [{ method: "wise", details: "x" }, "details"],
    [{ method: "custom", promoter_id: "x" }, "promoter_id"],
    [{ method: "custom", is_selected: "perhaps" }, "is_selected"],
  ])("are refused as %j, naming %s", async (given, field) => {
    const { status, body } = await create(given);
    const { code, errors } = body as { code: string; errors: object };
    expect([status, code, Object.keys(errors)]).toEqual([422, "invalid_params", [field]]);
  });

  it("are not found for a promoter that does not exist", async () => {
    const { status, body } = await create({ ...paypal, promoter_id: 99 });
    expect([status, body]).toEqual([404, { message: "Promoter not found.", code: "not_found" }]);
  });

  describe("that a payout has used", () => {
    const OTHER = { wallet_email: "other@example.com", paypal_email: "other@example.com" };
    const list = async () =>
      (await app.v2("GET", `/payout_methods?filters[promoter_id]=${jane.id}`)).body as object[];
    const wallets = async () =>
      parse(String((await app.v2("GET", "/payments_batches/1/file?format=paypal")).body)) as string[][];

    beforeEach(async () => {
      await create(paypal);
      await addPayout(app.context, jane);
      await app.v2("POST", "/payouts/create_payments_batch", { method: "paypal" });
    });

    it("keep their details: others make a new method, which is the one that is used from then on", async () => {
      await app.v2("POST", "/payments_batches/1/pay", {});
      const changed = await app.v2("PUT", "/payout_methods/1", {
        details: { wallet_email: OTHER.wallet_email },
      });
      const current = { ...shown, id: 2, details: { ...NO_DETAILS, ...OTHER } };
      expect([changed.status, changed.body]).toEqual([200, current]);
      expect((await app.v2("GET", "/payout_methods/1")).body).toEqual({
        ...shown,
        is_selected: false,
        is_disabled: true,
      });
      expect(await list()).toEqual([current]);
      // The confirmed batch pays the wallet that it was made for, and the history shows it.
      expect((await wallets()).map(([wallet]) => wallet)).toEqual(["jane@example.com"]);
      await app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
      expect(await app.records.get("payout", 1)).toMatchObject({
        status: "completed",
        payout_method_id: 1,
      });
    });

    it("change in place in everything else, and by the same details", async () => {
      const same = { details: { wallet_email: "jane@example.com" }, is_disabled: true };
      expect((await app.v2("PUT", "/payout_methods/1", same)).body).toEqual({ ...shown, is_disabled: true });
      expect(await list()).toHaveLength(1);
    });

    it("lead changes to the method that took their place, however many at once", async () => {
      const put = (wallet: string) =>
        app.v2("PUT", "/payout_methods/1", { details: { wallet_email: wallet } });
      const answers = await Promise.all([put("a@example.com"), put("b@example.com")]);
      const ids = new Set(answers.map(({ body }) => (body as { id: number }).id));
      expect(ids.size).toBe(1);
      const [id] = ids;
      const disabled = await app.v2("PATCH", "/payout_methods/1", { is_disabled: true });
      expect(disabled.body).toMatchObject({ id, is_disabled: true, is_selected: true });
      expect(await list()).toEqual([disabled.body]);
      expect((await app.v2("DELETE", "/payout_methods/1")).status).toBe(409);
    });

    it("give way to the new one when a failed payout is tried again", async () => {
      const other = await addCampaign(app, { name: "Other" });
      await app.v2("DELETE", "/payments_batches/1");
      await addPayout(app.context, jane, { campaign_id: other.id, amount: 500, total_incl_tax: 500 });
      await app.v2("POST", "/payouts/create_payments_batch", { method: "paypal" });
      await app.v2("POST", "/payments_batches/2/pay", {});
      await app.v2("POST", "/payouts/mark_as_failed", { ids: [1] });
      await app.v2("PUT", "/payout_methods/1", { details: { wallet_email: OTHER.wallet_email } });
      await movePayout(app, { id: 1, to: "processing" });
      const { body } = await app.v2("GET", "/payments_batches/2/file?format=paypal");
      expect((parse(String(body)) as string[][]).map((line) => line.slice(0, 4))).toEqual([
        ["other@example.com", "120.00", "USD", "BATCH-2-1"],
        ["jane@example.com", "5.00", "USD", "BATCH-2-1-2"],
      ]);
    });
  });

  it("can be removed only while no payout was paid by them", async () => {
    const { body } = await create(paypal);
    await addPayout(app.context, jane, { payout_method_id: (body as { id: number }).id });
    const refused = await app.v2("DELETE", "/payout_methods/1");
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([409, "destroy_failed"]);
    await create({ ...paypal, is_selected: false });
    expect((await app.v2("DELETE", "/payout_methods/2")).body).toEqual({ message: "Payout method deleted" });
    expect((await app.v2("GET", "/payout_methods/2")).status).toBe(404);
  });
});

it("payout methods are not removed while a payout is being paid by them", async () => {
  const races = await racesAtEachStep(async (app) => {
    const jane = await addJane(app);
    await app.v2("POST", "/payout_methods", { promoter_id: jane.id, ...paypal });
    const { id } = await addPayout(app.context, jane);
    return {
      call: () => app.v2("DELETE", "/payout_methods/1"),
      meanwhile: () => movePayout(app, { id, to: "completed" }),
      look: async () => (await app.records.get("payout", id))?.payout_method_id,
    };
  });
  const outcomes = new Set(races.map(({ answer, seen }) => `${answer.status}, paid by ${seen}`));
  expect(outcomes).toEqual(new Set(["409, paid by 1", "200, paid by null"]));
});
