import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventTypesOf } from "../../../server/domain/events/event-type.ts";
import { recordChangeOf, type RecordChange } from "../../../server/domain/ledger/announcement.ts";
import { facts } from "../../../server/domain/events/event.ts";
import { NOW, startApp, type TestApp } from "../../support/app.ts";
import { addPayout, addPromoter, changeAccount, selectMethod, movePayout } from "../../support/payouts.ts";
import { racesAtEachStep } from "../../support/race.ts";
import { company, invalid, outcome } from "../../support/v2.ts";
import type { RecordOf } from "../../support/records.ts";

const BATCH = {
  id: 1,
  method: "wise",
  status: "awaiting_confirmation",
  ext_reference: "BATCH-1",
  ext_id: null,
  scheduled_at: null,
  processing_started_at: null,
  completed_at: null,
  is_payable: true,
  is_retriable: false,
  is_payment_otp_required: false,
  total: 24_000,
  promoters_count: 1,
  error: null,
};

describe("a payments batch", () => {
  let app: TestApp;
  let account: RecordOf<"account">;
  let jane: RecordOf<"promoter">;
  let joe: RecordOf<"promoter">;
  beforeEach(async () => {
    app = await startApp();
    account = await changeAccount(app.context, app.account_id, {});
    jane = await addPromoter(app.context, account, { email: "jane@example.com" });
    joe = await addPromoter(app.context, account, { email: "joe@example.com" });
    await selectMethod(app.context, jane, { method: "wise" });
    await selectMethod(app.context, joe, { method: "wise", is_disabled: true });
    await addPayout(app.context, jane);
    await addPayout(app.context, jane);
    await addPayout(app.context, joe);
  });
  afterEach(() => app.close());

  const create = (method: unknown = "wise") =>
    outcome(company(app, "POST /payouts/create_payments_batch", { method }));
  const pay = (id = 1, body: object = { otp: "123456" }) =>
    outcome(company(app, `POST /payments_batches/${id}/pay`, body));
  const remove = (id = 1) => outcome(company(app, `DELETE /payments_batches/${id}`));
  const shown = async () => {
    const { body } = await app.v2("GET", "/payouts");
    return (body as Record<string, unknown>[]).map(({ status, payments_batch_id: batch }) => [status, batch]);
  };
  const finish = (id: number, to: "completed" | "failed", error: string | null = null) =>
    movePayout(app, { id, to, error });

  it("is listed with the others, newest first", async () => {
    await create();
    await selectMethod(app.context, joe, { method: "paypal" });
    await create("paypal");
    const { status, body, headers } = await company(app, "GET /payments_batches");
    expect([status, headers.get("total")]).toEqual([200, "2"]);
    expect(body).toEqual([
      { ...BATCH, id: 2, method: "paypal", ext_reference: "BATCH-2", total: 12_000 },
      BATCH,
    ]);
  });

  it("gathers what is payable by one method, and says why the rest is not", async () => {
    const mary = await addPromoter(app.context, account, { email: "mary@example.com" });
    await selectMethod(app.context, mary, { method: "bank" });
    await addPayout(app.context, mary);
    await addPayout(app.context, jane, { unit: "credits" });
    await addPayout(app.context, jane, { status: "completed" });
    expect(await create()).toEqual({
      status: 201,
      body: {
        data: BATCH,
        meta: { failed: [{ payout_id: 3, promoter_id: joe.id, message: "The payout method is disabled" }] },
      },
    });
    expect(await shown()).toEqual([
      ["pending", 1],
      ["pending", 1],
      ["pending", null],
      ["pending", null],
      ["pending", null],
      ["completed", null],
    ]);
    const listed = await app.v2("GET", "/payouts?filters[payments_batch_id]=1");
    expect(listed.body).toMatchObject([
      { id: 1, payout_method: { method: "wise" } },
      { id: 2, payout_method: { method: "wise" } },
    ]);
  });

  it("keeps to the account's minimum and to invoice details", async () => {
    await changeAccount(app.context, app.account_id, { min_payment_cents: 20_001 });
    expect(await create()).toMatchObject({ status: 422, body: { code: "operation_failed" } });
    await changeAccount(app.context, app.account_id, {
      min_payment_cents: 0,
      requires_invoice_details: true,
    });
    expect(await create()).toEqual({
      status: 422,
      body: { message: "No pending payout can be paid by Wise", code: "operation_failed" },
    });
    // Refused attempts use up no number.
    await changeAccount(app.context, app.account_id, { requires_invoice_details: false });
    expect(await create()).toMatchObject({ status: 201, body: { data: { id: 1 } } });
  });

  it("is made once, however many ask at once", async () => {
    const answers = await Promise.all([create(), create(), create()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422]);
  });

  it("is processing when it is confirmed, and completed with its last payout", async () => {
    await create();
    const processing = {
      ...BATCH,
      status: "processing",
      processing_started_at: NOW,
      is_payable: false,
    };
    expect(await pay()).toEqual({ status: 200, body: processing });
    expect((await shown()).slice(0, 2)).toEqual([
      ["processing", 1],
      ["processing", 1],
    ]);
    expect(await pay()).toEqual({
      status: 422,
      body: { message: "A processing payments batch can't be paid", code: "operation_failed" },
    });
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [1, 2] });
    expect(await pay()).toMatchObject({
      body: { message: "A completed payments batch can't be paid" },
    });
  });

  it("fails if a payout does, and can be tried again", async () => {
    await create();
    await pay();
    await finish(1, "completed");
    await finish(2, "failed", "The account is closed");
    expect(await pay(1, {})).toMatchObject({ status: 200, body: { status: "processing", error: null } });
    expect((await shown()).slice(0, 2)).toEqual([
      ["completed", 1],
      ["processing", 1],
    ]);
    await finish(2, "completed");
    expect(await remove()).toEqual({
      status: 422,
      body: { message: "A completed payments batch can't be deleted", code: "operation_failed" },
    });
  });

  it("frees its payouts when it is deleted", async () => {
    await create();
    expect(await remove()).toEqual({ status: 200, body: { message: "Payments batch deleted" } });
    expect((await shown()).slice(0, 2)).toEqual([
      ["pending", null],
      ["pending", null],
    ]);
    expect(await remove()).toEqual({
      status: 404,
      body: { message: "Payments batch not found.", code: "not_found" },
    });
  });

  it.each([
    ["cancelled", "POST /payouts/cancel", "payout/cancel"],
    ["removed", "DELETE /payouts/destroy", "payout/destroy"],
  ])("keeps its payouts from being %s until it is deleted", async (_how, call, label) => {
    await create();
    const end = () => company(app, call, { ids: [1, 2] });
    const refusal = "BATCH-1 holds this payout, and its file may have been uploaded. Delete the batch first";
    expect(await outcome(end())).toEqual({
      status: 200,
      body: {
        data: {
          id: 1,
          status: "completed",
          total: 2,
          selected_total: 2,
          processed_count: 0,
          failed_count: 2,
          action_label: label,
          created_at: NOW,
          updated_at: NOW,
          meta: {},
          progress: 100,
          processing_errors: [1, 2].map((id) => ({ id, message: refusal })),
        },
        meta: { total: 0, promoters_count: 0, total_incl_tax: 0, all_promoters_count: 0 },
      },
    });
    expect((await shown()).slice(0, 2)).toEqual([
      ["pending", 1],
      ["pending", 1],
    ]);
    await remove();
    expect((await end()).body).toMatchObject({ data: { processed_count: 2, processing_errors: [] } });
  });

  it.each(["POST /payouts/cancel", "DELETE /payouts/destroy"])(
    "loses its failed payouts by %s, and is completed with the last of them",
    async (call) => {
      await create();
      await pay();
      await finish(1, "completed");
      await finish(2, "failed");
      await company(app, call, { ids: [2] });
      expect((await company(app, "GET /payments_batches")).body).toEqual([
        {
          ...BATCH,
          status: "completed",
          processing_started_at: NOW,
          completed_at: NOW,
          is_payable: false,
          total: 12_000,
        },
      ]);
    },
  );

  it("gives failed payouts back as pending, and leaves completed ones alone", async () => {
    await create();
    await pay();
    expect(await remove()).toMatchObject({ status: 422 });
    await finish(1, "completed");
    await finish(2, "failed");
    await remove();
    expect((await shown()).slice(0, 2)).toEqual([
      ["completed", null],
      ["pending", null],
    ]);
  });

  it("keeps a payout that is marked as paid and as unpaid before the batch is paid", async () => {
    await create();
    const mark = (how: string) => app.v2("POST", `/payouts/mark_as_${how}`, { ids: [1] });
    await mark("paid");
    // The promoter's choice of another method concerns later payouts.
    await selectMethod(app.context, jane, { method: "bank" });
    await mark("unpaid");
    expect((await app.v2("GET", "/payouts?ids[]=1")).body).toMatchObject([
      { status: "pending", payments_batch_id: 1, paid_at: null, payout_method: { method: "wise" } },
    ]);
    const end = await company(app, "POST /payouts/cancel", { ids: [1] });
    expect(end.body).toMatchObject({ data: { processed_count: 0, failed_count: 1 } });
    expect(await create("bank")).toMatchObject({ status: 422 });
    await pay();
    expect((await shown()).slice(0, 2)).toEqual([
      ["processing", 1],
      ["processing", 1],
    ]);
  });

  it.each([
    ["is processing", [1]],
    ["was completed", [1, 2]],
  ])("loses a payout that is marked as unpaid when it %s", async (_state, ids) => {
    await create();
    await pay();
    await app.v2("POST", "/payouts/mark_as_paid", { ids });
    await app.v2("POST", "/payouts/mark_as_unpaid", { ids: [1] });
    expect((await shown())[0]).toEqual(["pending", null]);
    expect(await create()).toMatchObject({ status: 201, body: { data: { id: 2, total: 12_000 } } });
  });

  it("loses a payout that is marked as unpaid after the batch was deleted", async () => {
    await create();
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
    await remove();
    await app.v2("POST", "/payouts/mark_as_unpaid", { ids: [1] });
    expect((await shown())[0]).toEqual(["pending", null]);
  });

  it("pays a payout or leaves it out if it is marked as unpaid meanwhile", async () => {
    const races = await racesAtEachStep(async (raced) => {
      const own = await changeAccount(raced.context, raced.account_id, {});
      const zoe = await addPromoter(raced.context, own, { email: "zoe@example.com" });
      await selectMethod(raced.context, zoe, { method: "wise" });
      for (const _ of [1, 2]) await addPayout(raced.context, zoe);
      await raced.v2("POST", "/payouts/create_payments_batch", { method: "wise" });
      await raced.v2("POST", "/payouts/mark_as_paid", { ids: [1] });
      return {
        call: () => raced.v2("POST", "/payments_batches/1/pay", { otp: "123456" }),
        meanwhile: () => raced.v2("POST", "/payouts/mark_as_unpaid", { ids: [1] }),
        look: async () => {
          const { body } = await raced.v2("GET", "/payouts");
          return (body as Record<string, unknown>[])
            .map(({ status, payments_batch_id: batch }) => `${status} in ${batch}`)
            .join(", ");
        },
      };
    });
    expect(new Set(races.map(({ answer, seen }) => `${answer.status}: ${seen}`))).toEqual(
      new Set(["200: processing in 1, processing in 1", "200: completed in 1, processing in 1"]),
    );
  });

  it("has nothing left to pay once its payouts were paid one by one", async () => {
    await create();
    await app.v2("POST", "/payouts/mark_as_paid", { ids: [1, 2] });
    expect(await pay()).toEqual({
      status: 422,
      body: { message: "The payments batch has nothing left to pay", code: "operation_failed" },
    });
  });

  it.each([[undefined], ["cash"]])("is refused for the method %j", async (method) => {
    const faults = {
      method: [method ? "is not one of paypal, bank, wise, crypto, dots, custom" : "can't be blank"],
    };
    expect(await outcome(app.v2("POST", "/payouts/create_payments_batch", { method }))).toEqual(
      invalid(faults),
    );
  });

  it("is not found under an unknown or malformed id", async () => {
    const body = { message: "Payments batch not found.", code: "not_found" };
    for (const id of ["9", "x"]) {
      expect(await outcome(app.v2("POST", `/payments_batches/${id}/pay`, {}))).toEqual({ status: 404, body });
    }
  });

  it("announces what happens to it", async () => {
    const types = ["created", "initiated", "processing", "failed", "completed", "deleted", "updated"];
    await app.v2("POST", "/webhooks", {
      url: "https://hooks.acme.example/",
      event_types: types.map((type) => `payments_batch.${type}`),
    });
    await create();
    await pay();
    await finish(1, "completed");
    await finish(2, "failed");
    await pay();
    await finish(2, "completed");
    const { store } = app.context;
    const waiting = await store.page(facts, "id", 0, [app.account_id, "payments_batch"], { limit: 9 });
    const changes = await Promise.all(waiting.map((fact) => recordChangeOf(store, fact)));
    expect(changes.map((change) => eventTypesOf(change as RecordChange))).toEqual([
      ["payments_batch.created"],
      ["payments_batch.updated", "payments_batch.initiated", "payments_batch.processing"],
      ["payments_batch.updated", "payments_batch.failed"],
      ["payments_batch.updated", "payments_batch.processing"],
      ["payments_batch.updated", "payments_batch.completed"],
    ]);
  });
});
