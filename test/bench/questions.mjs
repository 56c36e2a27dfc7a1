// The questions that lists, reports and pages ask of a large store, by the kind of their aim: `indexed`, or `other`.
import { KEY } from "./servers.mjs";

/** The user who may see everything. */
export const OWNER = {
  TIDEMARK_OWNER_EMAIL: "owner@bench.example",
  TIDEMARK_OWNER_PASSWORD: "only for this bench",
};
const COMPANY = "/api/v2/company";
const YEAR = `start_date=${daysAgo(365)}&end_date=${daysAgo(0)}`;

/** The questions to a server, with the headers of those that a promoter asks. */
export async function questionsOf({ url }) {
  const [promoter] = await (await fetch(`${url}/api/v1/promoters/list?per_page=1`, { headers: KEY })).json();
  const headers = await signIn(url);
  return [
    ...lists(promoter).map(([name, path, kind = "indexed"]) => ({
      name,
      path: COMPANY + path,
      kind,
      headers,
    })),
    { name: "leads, V1, last page", path: "/api/v1/leads/list?page=20000", kind: "indexed" },
    ...reports().map(([name, path]) => ({ name, path: COMPANY + path, kind: "indexed" })),
  ];
}

async function signIn(url) {
  const answer = await fetch(`${url}${COMPANY}/session`, {
    method: "POST",
    headers: { origin: url, "content-type": "application/json" },
    body: JSON.stringify({ email: OWNER.TIDEMARK_OWNER_EMAIL, password: OWNER.TIDEMARK_OWNER_PASSWORD }),
  });
  if (!answer.ok) throw new Error(`Signing in was answered ${answer.status}`);
  return { cookie: answer.headers.getSetCookie()[0].split(";", 1)[0] };
}

function lists({ id }) {
  const month = `filters[created_at][from]=${daysAgo(30)}`;
  const newest = "sorting[created_at]=desc";
  return [
    ["leads", "/referrals"],
    ["leads, newest first", `/referrals?${newest}`],
    ["leads of a promoter", `/referrals?filters[promoter_id]=${id}`],
    ["leads of a promoter by text", `/referrals?filters[promoter_id]=${id}&q=ada`],
    ["leads of the largest campaign", `/referrals?filters[campaign_id][]=1&${newest}`],
    ["leads by state, many", `/referrals?filters[state]=active&${newest}`, "other"],
    ["leads by state, few", `/referrals?filters[state]=refunded&${newest}`, "other"],
    ["leads, customers", `/referrals?filters[type]=customer&${newest}`, "other"],
    ["leads by entry source", "/referrals?filters[entry_source][]=manual_affiliate", "other"],
    ["leads by suspicion", "/referrals?filters[fraud_check][]=ad_source", "other"],
    ["leads by plan", "/referrals?filters[plan_id][]=team", "other"],
    ["leads of a month", `/referrals?${month}&${newest}`, "other"],
    ["leads cancelled in a month", `/referrals?filters[cancelled_at][from]=${daysAgo(30)}`, "other"],
    ["leads, customers since a month", `/referrals?filters[customer_since][from]=${daysAgo(30)}`, "other"],
    ["leads by text, many", "/referrals?q=example", "other"],
    ["leads by text, some", "/referrals?q=lea", "other"],
    ["leads by text, none", "/referrals?q=nothing-like-it", "other"],
    ["promoters", "/promoters"],
    ["promoters by state", "/promoters?filters[state]=pending"],
    ["promoters of a campaign", "/promoters?filters[campaign_id][]=1"],
    ["promoters, newest first", "/promoters?sorting[joined_at]=desc"],
    ["promoters by revenue", "/promoters?sorting[revenue_amount]=desc", "other"],
    ["promoters by text", "/promoters?q=ada", "other"],
    ["promoters by suspicion", "/promoters?filters[fraud_suspicions][]=ad_source", "other"],
    [
      "promoters by a field",
      "/promoters?filters[custom_field1][key]=Where&filters[custom_field1][operator]=partial&filters[custom_field1][value][]=pod",
      "other",
    ],
    [
      "promoters without clicks",
      "/promoters?filters[inactivity][metric]=click&filters[inactivity][days]=30",
      "other",
    ],
    ["promoters by clicks", "/promoters?filters[clicks_count][from]=100", "other"],
    ["promoter campaigns", "/promoter_campaigns"],
    ["promoter campaigns by text", "/promoter_campaigns?q=ada", "other"],
    ["promoter campaigns by text, search", "/promoter_campaigns/search?q=nothing-like-it", "other"],
    ["commissions", "/commissions"],
    ["commissions, newest first", `/commissions?${newest}`],
    ["commissions by status", `/commissions?filters[status]=pending&${newest}`],
    ["commissions by status, many", `/commissions?filters[status]=approved&${newest}`],
    ["commissions of a campaign", `/commissions?filters[campaign_id]=1&${newest}`],
    ["commissions of a promoter", `/commissions?filters[promoter_id]=${id}&${newest}`],
    [
      "commissions of a promoter, approved",
      `/commissions?filters[promoter_id]=${id}&filters[status]=approved&${newest}`,
    ],
    ["commissions of a month", `/commissions?${month}&${newest}`],
    ["commissions of a month, pending", `/commissions?${month}&filters[status]=pending&${newest}`],
    ["commissions of a month by text", `/commissions?${month}&q=ada&${newest}`, "other"],
    ["commissions by text", `/commissions?q=ada&${newest}`, "other"],
    ["commissions that are paid", `/commissions?filters[paid]=yes&${newest}`, "other"],
    ["commissions with a suspicion", `/commissions?filters[fraud_check][]=ad_source&${newest}`, "other"],
    ["commissions by plan", `/commissions?filters[plan_id][]=team&${newest}`, "other"],
    ["commissions, greatest sale first", "/commissions?sorting[sale_amount]=desc", "other"],
    ["payouts", "/payouts"],
    ["payouts by status", "/payouts?filters[status]=pending"],
    ["payouts of a promoter", `/payouts?filters[promoter_id]=${id}`],
    ["payouts by text", "/payouts?q=ada", "other"],
    ["payouts by method", "/payouts?filters[payout_method]=wise", "other"],
    ["payouts that are payable", "/payouts?filters[only_payable]=true", "other"],
    ["payouts, greatest amount first", "/payouts?sorting[amount]=desc", "other"],
    ["log", "/audit_log"],
    ["log by kind", "/audit_log?filters[entity]=referral"],
    ["log by action", "/audit_log?filters[action]=deleted", "other"],
    ["log of a user", "/audit_log?filters[actor_id]=7", "other"],
    ["campaigns", "/campaigns"],
    ["home", `/home?${YEAR}`],
    ["payouts due, in sums", "/payouts/due_stats"],
    ["payouts, in sums", "/payouts/stats"],
    ["payouts by promoter", "/payouts/group_by_promoters"],
  ];
}

function reports() {
  const path = (name, groupBy, ...columns) =>
    `/reports/${name}?${YEAR}&group_by=${groupBy}${columns.map((each) => `&columns[]=${each}`).join("")}`;
  const usual = ["revenue_amount", "promoter_earnings_amount", "clicks_count"];
  return ["overview", "campaigns", "promoters", "traffic_sources", "urls"].flatMap((name) => [
    [`report of ${name}, a year by month`, path(name, "month", ...usual)],
    [`report of ${name}, a year by day`, path(name, "day", "revenue_amount")],
  ]);
}

function daysAgo(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
