// Makes customers whose sales earn commissions in three tiers.
import { KEY, post } from "./servers.mjs";

/** Customers who pay in turn, each with a sale that is large enough for many refunds. */
export const BUYERS = 500;

/** Three promoters above each other, a reward for each, and customers of the lowest. */
export async function prepareSales(url) {
  const send = async (method, path, body) => {
    const headers = { ...KEY, "content-type": "application/json" };
    const given = { method, headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api/v2/company${path}`, given);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const ids = [];
  for (const name of ["seller", "parent", "grandparent"]) {
    const made = await post(
      url,
      "/api/v1/promoters/create",
      KEY,
      `email=${name}%40example.com&ref_id=${name}`,
    );
    ids.push(JSON.parse(made).id);
  }
  await send("POST", "/promoters/assign_parent", { parent_promoter_id: ids[1], ids: [ids[0]] });
  await send("POST", "/promoters/assign_parent", { parent_promoter_id: ids[2], ids: [ids[1]] });
  const entries = [];
  for (const level of [1, 2, 3]) {
    const tier =
      level === 1
        ? {}
        : { promoter_reward_type: "tier", tier_level: level, tier_reward_mode: "tier_commission_mode" };
    const schemas = [{ unit: "cash", amount: 20, flat_amount: false }];
    const reward = await send("POST", "/rewards", {
      name: `level ${level}`,
      is_promoter_reward: true,
      schemas,
      ...tier,
    });
    entries.push({ apply_on: "all", product_ids: [], reward_id: reward.id });
  }
  await send("PUT", "/campaigns/1", { rewards_for_promoters: entries });
  const buyers = Array.from({ length: BUYERS }, (_, at) => at + 1);
  await Promise.all(buyers.map((buyer) => sell(url, buyer)));
}

async function sell(url, buyer) {
  const who = `email=buyer-${buyer}%40example.com`;
  await post(url, "/api/v1/track/signup", KEY, `${who}&ref_id=seller`);
  await post(url, "/api/v1/track/sale", KEY, `${who}&event_id=great-${buyer}&amount=900000000000`);
}
