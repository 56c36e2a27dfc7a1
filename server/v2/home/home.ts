import { z } from "zod";
import { countTasks } from "../../domain/home.ts";
import { findLeads } from "../../domain/people/lead/search.ts";
import { compareRanges } from "../../domain/reports/chart.ts";
import { calendarDay } from "../../input/fields.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { shapeInput } from "../../input/shape.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { referralAnswer, showReferral } from "../referral/referral-json.ts";
import { comparisonAnswer, comparisonJson, SHOWN_FIGURES } from "./comparison-json.ts";
import { tasksAnswer, tasksJson } from "./tasks-json.ts";
import { field } from "../../http/fields.ts";

const LATEST_LEADS = 6;

const params = z.object({
  start_date: field(calendarDay, "First day (UTC).", "2026-02-01"),
  end_date: field(calendarDay, "Last day (UTC), included.", "2026-02-28"),
});

/** `GET /api/v2/company/home` */
export const homeOperation: V2Operation = {
  id: "showHome",
  summary: "Show how the program is doing",
  description:
    "Shows a range of days beside the one before it, what needs attention, and the latest leads. Ranges under two months are shown by day, under a year by week, under four years by month, and longer ones by year.",
  params,
  answer: comparisonAnswer.extend({
    tasks: field(tasksAnswer, "What needs attention, independent of the range."),
    latest_referrals: field(z.array(referralAnswer), "The newest leads."),
  }),
  refusals: ["invalid"],
  handle: showHome,
};

async function showHome({ event, account, context: { store, now } }: V2Request) {
  const { start_date: from, end_date: to } = shapeInput(params, readQuery(event));
  const [comparison, tasks, latest] = await Promise.all([
    compareRanges(store, account.id, { range: { from, to }, figures: SHOWN_FIGURES }),
    countTasks(store, account.id, now),
    findLeads(store, account.id, { filter: {}, limit: LATEST_LEADS, offset: 0, reverse: true }),
  ]);
  return {
    ...comparisonJson(comparison),
    tasks: tasksJson(tasks),
    latest_referrals: await Promise.all(latest.records.map((lead) => showReferral(store, lead))),
  };
}
