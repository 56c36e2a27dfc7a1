import { answer, api, page } from "../../ui/api/client.ts";
import type { components, operations } from "../../ui/api/types.ts";
import { today } from "../../ui/day.ts";
import { orderOf, PAGE_LENGTH, type Rows, type Wanted } from "../../ui/table/list.ts";
import type { PaymentsBatch, Payout } from "./words.ts";

type Query = NonNullable<operations["listPayouts"]["parameters"]["query"]>;
type Group = components["schemas"]["PayoutGroup"];

/** A promoter's unpaid payouts. The id consists of the payouts' ids, because those are chosen. */
export type DueGroup = Group & { id: string };

/** The filters of all tabs, with their defaults. */
export const USUAL = {
  tab: "due",
  q: "",
  status: "",
  campaign: "",
  promoter: "",
  method: "",
  batch: "",
  run: "",
  due: "",
  from: "",
  to: "",
  page: "1",
  sort: "-period_end",
};
export type PayoutFilters = typeof USUAL;

/** The days of the books, by default those of this month. */
export function bookDays({ from, to }: Pick<PayoutFilters, "from" | "to">): { from: string; to: string } {
  const last = to || today();
  return { from: from || `${last.slice(0, 8)}01`, to: last };
}

/** A page of the promoters who are owed money. */
export async function loadDue(
  { q, campaign, number }: Wanted<PayoutFilters>,
  signal: AbortSignal,
): Promise<Rows<DueGroup>> {
  const query = {
    "filters[status]": "pending" as const,
    ...(q && { q }),
    ...(campaign && { "filters[campaign_id]": [Number(campaign)] }),
    page: number,
    per_page: PAGE_LENGTH,
  };
  const { data, meta } = await answer(
    api.GET("/api/v2/company/payouts/group_by_promoters", { params: { query }, signal }),
  );
  return {
    rows: data.map((group) => ({ ...group, id: group.payout_ids.join() })),
    total: meta.promoters_count,
  };
}

/** A page of single unpaid payouts. */
export function loadUnpaid(
  { q, campaign, sort, number, length = PAGE_LENGTH }: Wanted<PayoutFilters>,
  signal: AbortSignal,
): Promise<Rows<Payout>> {
  return loadPayouts({ ...USUAL, q, campaign, sort, number, length, status: "pending" }, signal);
}

/** A page of payouts. */
export function loadPayouts(filters: Wanted<PayoutFilters>, signal: AbortSignal): Promise<Rows<Payout>> {
  const {
    q,
    status,
    campaign,
    promoter,
    method,
    batch,
    run,
    due,
    sort,
    number,
    length = PAGE_LENGTH,
  } = filters;
  const { name, direction } = orderOf(sort);
  const query = {
    ...(q && { q }),
    ...(status && { "filters[status]": status as Payout["status"] }),
    ...(campaign && { "filters[campaign_id]": [Number(campaign)] }),
    ...(promoter && { "filters[promoter_id]": Number(promoter) }),
    ...(method && { "filters[payout_method]": method as NonNullable<Query["filters[payout_method]"]> }),
    ...(batch && { "filters[payments_batch_id]": [Number(batch)] }),
    ...(run && { "filters[group_ref]": run }),
    ...(due && { "filters[due_period]": due as NonNullable<Query["filters[due_period]"]> }),
    ...(sort && { [`sorting[${name}]`]: direction }),
    page: number,
    per_page: length,
  };
  return page(api.GET("/api/v2/company/payouts", { params: { query }, signal }));
}

/** A page of payments batches, newest first. */
export function loadBatches(
  { number }: Wanted<PayoutFilters>,
  signal: AbortSignal,
): Promise<Rows<PaymentsBatch>> {
  const query = { page: number, per_page: PAGE_LENGTH };
  return page(api.GET("/api/v2/company/payments_batches", { params: { query }, signal }));
}

export type Previewed = components["schemas"]["PreviewedPayout"];

/** A page of the next run's preview. */
export function loadPreview(
  { number }: Wanted<PayoutFilters>,
  signal: AbortSignal,
): Promise<Rows<Previewed>> {
  const query = { page: number, per_page: PAGE_LENGTH };
  return page(api.GET("/api/v2/company/payout_runs/preview", { params: { query }, signal }));
}

export type PayoutRun = components["schemas"]["PayoutRun"];

/** A page of past runs, newest first. */
export function loadRuns({ number }: Wanted<PayoutFilters>, signal: AbortSignal): Promise<Rows<PayoutRun>> {
  const query = { page: number, per_page: PAGE_LENGTH };
  return page(api.GET("/api/v2/company/payout_runs", { params: { query }, signal }));
}
