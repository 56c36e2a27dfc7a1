import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, ACCOUNT, KEY, temporaryFolder, type Server } from "../support/server.ts";

let folder: string;
let remove: () => void;
let server: Server;
beforeAll(async () => {
  ({ folder, remove } = temporaryFolder());
  server = await startServer(folder);
});
afterAll(async () => {
  await server.stop();
  remove();
});

type Body = Record<string, unknown>;

async function send(method: string, path: string, headers: Record<string, string>, body: object) {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status >= 500) throw new Error(text);
  return { status: answer.status, body: (text === "" ? null : JSON.parse(text)) as Body };
}
const v1 = (path: string, params: object) => send("POST", `/api/v1${path}`, { "x-api-key": KEY }, params);
const v2 = (method: string, path: string, body: object = {}) =>
  send(method, `/api/v2/company${path}`, { authorization: `Bearer ${KEY}`, "account-id": ACCOUNT }, body);
const sale = (event_id: string, amount: number, more: object = {}) =>
  v1("/track/sale", { email: "mia@example.com", event_id, amount, ...more });
const refund = (event_id: string, amount: number, sale_event_id: string) =>
  v1("/track/refund", { email: "mia@example.com", event_id, amount, sale_event_id });
const idOf = ({ body }: { body: Body }) => body["id"] as number;

/** The cash of each promoter: earned, owed, paid. Then the points of the first. */
async function balances(): Promise<string> {
  const shown: string[] = [];
  for (const promoter of [1, 2, 3]) {
    const { body } = await v2("GET", `/promoters/${promoter}`);
    const parts = body["balances"] as Record<string, Record<string, number>>;
    const cash = ["earnings_balance", "current_balance", "paid_balance"].map(
      (part) => parts[part]?.["cash"] ?? 0,
    );
    shown.push(cash.join(" "));
    if (promoter === 3) continue;
    if (promoter === 1) shown.push(`${parts["current_balance"]?.["points"] ?? 0} points`);
  }
  return shown.join(", ");
}

async function commissionIds(query: string): Promise<number[]> {
  const { body } = await v2("GET", `/commissions?per_page=100&${query}`);
  return (body as unknown as { id: number }[]).map(({ id }) => id);
}

/** Jane earns 20 % of each sale, 5.00 dollars for each Pro, and her parent Bob 10 % of what she earns. */
async function foundProgram(): Promise<void> {
  for (const name of ["jane", "bob", "sam"]) {
    await v1("/promoters/create", { email: `${name}@example.com`, ref_id: name });
  }
  await v2("POST", "/promoters/assign_parent", { parent_promoter_id: 2, ids: [1] });
  const product_ids = [idOf(await v2("POST", "/products", { name: "Pro", prices: [{ ext_id: "pro" }] }))];
  const reward = async (name: string, amount: number, more: object = {}, flat_amount = false) =>
    idOf(
      await v2("POST", "/rewards", {
        name,
        is_promoter_reward: true,
        schemas: [{ unit: "cash", amount, flat_amount }],
        ...more,
      }),
    );
  const tier = { promoter_reward_type: "tier", tier_level: 2, tier_reward_mode: "tier_commission_mode" };
  const usual = { apply_on: "all", product_ids: [] };
  const offered = await v2("PUT", "/campaigns/1", {
    rewards_for_promoters: [
      { ...usual, reward_id: await reward("twenty percent", 20) },
      { ...usual, reward_id: await reward("parents", 10, tier) },
      { apply_on: "specific", product_ids, reward_id: await reward("Pro", 5, {}, true) },
    ],
  });
  expect(offered.status).toBe(200);
  const code = { code: "JANE10", reward_id: 1, promoter_campaign_id: 1 };
  expect((await v2("POST", "/promo_codes", code)).status).toBe(200);
  const date = new Date().toISOString().slice(0, 10);
  expect((await v2("POST", "/rates", { date, base: "EUR", rates: { USD: "1.10" } })).status).toBe(200);
}

it("a program of three promoters owes and pays what its rules say, after each of twenty events", async () => {
  await foundProgram();
  const events: [what: string, act: () => Promise<unknown>, balances: string][] = [];
  const event = (...each: (typeof events)[number]) => void events.push(each);

  event(
    "Mia signs up by Jane's link",
    () => v1("/track/signup", { email: "mia@example.com", ref_id: "jane" }),
    "0 0 0, 0 points, 0 0 0, 0 0 0",
  );
  // Jane 20 % of 100.00 = 20.00. Bob 10 % of 20.00 = 2.00.
  event("she pays 100.00", () => sale("s1", 10_000), "2000 2000 0, 0 points, 200 200 0, 0 0 0");
  // Jane 3 * 5.00 = 15.00, not 20 %. Bob 1.50.
  event(
    "she buys three Pro for 270.00",
    () => sale("s2", 27_000, { plan: "pro", quantity: 3 }),
    "3500 3500 0, 0 points, 350 350 0, 0 0 0",
  );
  // Half of the first sale: Jane -10.00, Bob -1.00.
  event(
    "half of the 100.00 is refunded",
    () => refund("r1", 5_000, "s1"),
    "2500 2500 0, 0 points, 250 250 0, 0 0 0",
  );
  event("the first sale is sent again", () => sale("s1", 10_000), "2500 2500 0, 0 points, 250 250 0, 0 0 0");
  // 100.00 euros are 110.00 dollars: Jane 22.00, Bob 2.20.
  event(
    "she pays 100.00 euros",
    () => sale("s3", 10_000, { currency: "EUR" }),
    "4700 4700 0, 0 points, 470 470 0, 0 0 0",
  );
  event(
    "all of the euros are refunded",
    () =>
      v1("/track/refund", { ...mia, event_id: "r2", amount: 10_000, sale_event_id: "s3", currency: "EUR" }),
    "2500 2500 0, 0 points, 250 250 0, 0 0 0",
  );
  // Jane 2.00, Bob 0.20.
  event(
    "Leo, whom nobody knows, pays 10.00 with Jane's code",
    () => sale("s4", 1_000, { email: "leo@example.com", promo_code: "jane10" }),
    "2700 2700 0, 0 points, 270 270 0, 0 0 0",
  );
  // 8.00 for both: Sam a quarter, Jane the rest. Bob 10 % of 8.00.
  event(
    "Nia, whom Jane shares with Sam, pays 40.00",
    async () => {
      const split_details = [{ promoter_campaign_id: 3, percentage: 25 }];
      await v2("POST", "/referrals", { email: "nia@example.com", promoter_campaign_id: 1, split_details });
      await sale("s5", 4_000, { email: "nia@example.com" });
    },
    "3300 3300 0, 0 points, 350 350 0, 200 200 0",
  );
  const ofLeo = async () => (await commissionIds("q=s4&filters[promoter_id]=1"))[0];
  event(
    "Jane's commission for Leo is denied",
    async () => v2("POST", "/commissions/deny", { ids: [await ofLeo()] }),
    "3100 3100 0, 0 points, 350 350 0, 200 200 0",
  );
  event(
    "it is approved after all",
    async () => v2("POST", "/commissions/approve", { ids: [await ofLeo()] }),
    "3300 3300 0, 0 points, 350 350 0, 200 200 0",
  );
  event("Mia cancels", () => v1("/track/cancellation", mia), "3300 3300 0, 0 points, 350 350 0, 200 200 0");
  // 20 % of two cents are less than half a cent.
  event("she pays 0.02", () => sale("s6", 2), "3300 3300 0, 0 points, 350 350 0, 200 200 0");
  event(
    "Jane gets a bonus of 12.34",
    () => v2("POST", "/commissions", { commission_type: "custom", promoter_campaign_id: 1, amount: 1_234 }),
    "4534 4534 0, 0 points, 350 350 0, 200 200 0",
  );
  event(
    "Jane gets 50 points",
    () => v1("/rewards/create", { ref_id: "jane", reward_type: "points", amount: 50 }),
    "4534 4534 0, 50 points, 350 350 0, 200 200 0",
  );
  const payJane = async () => {
    const query = "filters[promoter_id]=1&filters[status]=approved&filters[paid]=no&unit=cash";
    const ids = await commissionIds(query);
    expect((await v2("POST", "/commissions/generate_payouts", { ids })).status).toBe(200);
    const { body } = await v2("GET", "/payouts?filters[promoter_id]=1&filters[status]=pending");
    return (body as unknown as { id: number; amount: number; unit: string }[]).filter(
      ({ unit }) => unit === "cash",
    );
  };
  event(
    "a payout is made of all her cash",
    async () => expect(await payJane()).toMatchObject([{ amount: 4_534 }]),
    "4534 4534 0, 50 points, 350 350 0, 200 200 0",
  );
  const lastPayout = async () => {
    const { body } = await v2("GET", "/payouts?filters[promoter_id]=1&per_page=100");
    const cash = (body as unknown as { id: number; unit: string }[]).filter(({ unit }) => unit === "cash");
    return [Math.max(...cash.map(({ id }) => id))];
  };
  event(
    "it is paid",
    async () => v2("POST", "/payouts/mark_as_paid", { ids: await lastPayout() }),
    "4534 0 4534, 50 points, 350 350 0, 200 200 0",
  );
  // The 15.00 of the three Pro, which were paid: Jane owes them. Bob -1.50.
  event(
    "the three Pro are refunded",
    () => refund("r3", 27_000, "s2"),
    "3034 -1500 4534, 50 points, 200 200 0, 200 200 0",
  );
  // Jane 40.00, of which 15.00 are set off. Bob 4.00.
  event("Mia pays 200.00", () => sale("s7", 20_000), "7034 2500 4534, 50 points, 600 600 0, 200 200 0");
  event(
    "the next payout is smaller by what she owes",
    async () => {
      expect(await payJane()).toMatchObject([{ amount: 2_500 }]);
      await v2("POST", "/payouts/mark_as_paid", { ids: await lastPayout() });
    },
    "7034 0 7034, 50 points, 600 600 0, 200 200 0",
  );
  event(
    "it turns out that it was not paid",
    async () => v2("POST", "/payouts/mark_as_unpaid", { ids: await lastPayout() }),
    "7034 2500 4534, 50 points, 600 600 0, 200 200 0",
  );

  for (const [what, act, expected] of events) {
    await act();
    expect([what, await balances()]).toEqual([what, expected]);
  }
});

const mia = { email: "mia@example.com" };
