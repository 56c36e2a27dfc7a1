import type { TestApp } from "./app.ts";

/** A schema of a reward, as V2 takes it. */
export interface SchemaInput {
  unit?: string;
  amount: number;
  flat_amount?: boolean;
  rules?: object[];
}

/** Makes a reward for promoters. By default it is ten percent of each sale in cash. */
export async function makeReward(
  app: TestApp,
  schemas: SchemaInput[] = [{ amount: 10 }],
  more: Record<string, unknown> = {},
): Promise<number> {
  const { body } = await app.v2("POST", "/rewards", {
    name: "ten percent",
    is_promoter_reward: true,
    schemas: schemas.map((schema) => ({ unit: "cash", flat_amount: false, ...schema })),
    ...more,
  });
  return (body as { id: number }).id;
}

/** Gives the default campaign these rewards, each for all sales unless it says otherwise. */
export async function offer(app: TestApp, ...entries: (number | Record<string, unknown>)[]): Promise<void> {
  const rewards = entries.map((entry) => ({
    apply_on: "all",
    product_ids: [],
    ...(typeof entry === "number" ? { reward_id: entry } : entry),
  }));
  const { status, body } = await app.v2("PUT", "/campaigns/1", { rewards_for_promoters: rewards });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** Calls a tracking operation of V2. */
export function trackV2(app: TestApp, name: string, body: object) {
  return app.v2("POST", `/../track/${name}`, body);
}

/** Stores rates of days for the account. */
export async function storeRates(
  app: TestApp,
  ...days: { day: string; base: string; rates: Record<string, string> }[]
): Promise<void> {
  for (const { day: date, base, rates } of days) {
    const { status, body } = await app.v2("POST", "/rates", { date, base, rates });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }
}

/** What a promoter has earned, is owed and was paid, by unit. Units with nothing of these are left out. */
export async function balancesOf(
  app: TestApp,
  promoterId: number,
): Promise<Record<string, { earnings: number; current: number; paid: number }>> {
  const { body } = await app.v2("GET", `/promoters/${promoterId}`);
  const { balances } = body as { balances: Record<string, Record<string, number>> };
  const of = (name: string, unit: string) => balances[`${name}_balance`]?.[unit] ?? 0;
  const units = Object.keys(balances["earnings_balance"]!).map(
    (unit) =>
      [
        unit,
        { earnings: of("earnings", unit), current: of("current", unit), paid: of("paid", unit) },
      ] as const,
  );
  return Object.fromEntries(units.filter(([, { earnings, current, paid }]) => earnings || current || paid));
}

/** The cash balance of a promoter: earned, owed and paid. */
export async function cashOf(app: TestApp, promoterId: number): Promise<[number, number, number]> {
  const { body } = await app.v2("GET", `/promoters/${promoterId}`);
  const { balances } = body as { balances: Record<string, Record<string, number>> };
  return (["earnings_balance", "current_balance", "paid_balance"] as const).map(
    (name) => balances[name]?.["cash"] ?? 0,
  ) as [number, number, number];
}
