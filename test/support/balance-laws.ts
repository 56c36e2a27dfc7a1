import type { Unit } from "../../server/domain/money.ts";
import type { Promoter } from "../../server/domain/people/promoter/promoter.ts";
import { answerOf, KEY, type TestApp } from "./app.ts";
import { newComparison, type Comparison } from "./comparison.ts";
import { balanceOf, readLedger, type Ledger } from "./money-laws.ts";
import { signedInBrowser } from "./portal.ts";
import { company } from "./v2.ts";

const PARTS = ["earnings", "current", "paid"] as const;
type Part = (typeof PARTS)[number] | "pending";
type Shown = Record<string, unknown>;

/** Every place where V1, V2 or the portal shows another balance than the records have. */
export async function balanceFaults(app: TestApp): Promise<string[]> {
  const ledger = await readLedger(app.services.store, app.account_id);
  const { faults, compare } = newComparison();
  for (const promoter of ledger.promoters) await compareBalances(app, { promoter, ledger, compare });
  return faults;
}

async function compareBalances(
  app: TestApp,
  { promoter, ledger, compare }: { promoter: Promoter; ledger: Ledger; compare: Comparison["compare"] },
): Promise<void> {
  const { id, email, auth_token } = promoter;
  const of = (part: Part) => (unit: Unit) => balanceOf(ledger, id, unit)[part];
  const groups = (write: (ofUnit: (unit: Unit) => number) => Shown): Shown =>
    Object.fromEntries(PARTS.map((part) => [`${part}_balance`, write(of(part))]));

  const headers = { "x-api-key": KEY };
  const v1 = await answerOf(await app.request(`/api/v1/promoters/show?promoter_email=${email}`, { headers }));
  const inV1 = v1.body as Shown;
  const shown = Object.fromEntries(PARTS.map((part) => [`${part}_balance`, inV1[`${part}_balance`]]));
  compare(`the balance of promoter ${id} in V1`, shown, groups(v1Json));

  const expected = { ...v2Json(of("current")), ...groups(v2Json) };
  const v2 = (await company(app, `GET /promoters/${id}`)).body as { balances: Shown };
  compare(`the balance of promoter ${id} in V2`, v2.balances, expected);

  const portal = await signedInBrowser(app, auth_token);
  const own = (await portal.call("GET /promoters/current")).body as { balances: Shown };
  const pending_balance = v2Json(of("pending"));
  compare(`the balance of promoter ${id} in the portal`, own.balances, { ...expected, pending_balance });
}

function v1Json(amountOf: (unit: Unit) => number): Shown {
  return {
    cash: amountOf("cash"),
    credits: amountOf("credits"),
    points: amountOf("points"),
    free_months: amountOf("free_months"),
    discount_mon: amountOf("mon_discount"),
    discount_per: amountOf("discount_per"),
  };
}

function v2Json(amountOf: (unit: Unit) => number): Shown {
  return {
    cash: amountOf("cash"),
    credits: amountOf("credits"),
    points: amountOf("points"),
    free_months: amountOf("free_months"),
    discount: amountOf("discount_per"),
  };
}
