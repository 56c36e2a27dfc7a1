import type { Dice } from "./dice.ts";

/** How many values of each name are remembered. The oldest are dropped. */
const MOST = 60;
/** The resource whose ids a path or a field of an answer contains, the most specific first. */
const RESOURCES: [pattern: RegExp, resource: string][] = [
  [/webhook_deliver/, "delivery"],
  [/webhook/, "webhook"],
  [/promoter_campaign|promotion/, "promoter_campaign"],
  [/campaign/, "campaign"],
  [/promoter/, "promoter"],
  [/promo_code/, "promo_code"],
  [/commission/, "commission"],
  [/payout_method/, "payout_method"],
  [/payout/, "payout"],
  [/product/, "product"],
  [/reward/, "reward"],
  [/batch/, "batch"],
  [/lead|signup|referral/, "lead"],
];
/** The name under which the values of a field are remembered, if it is not its own. */
const SAME: Record<string, string> = {
  promoter_email: "promoter.email",
  parent_promoter_email: "promoter.email",
  new_ref_id: "ref_token",
  ref_id: "ref_token",
  cookie_tid: "tid",
  new_uid: "uid",
  new_email: "email",
  new_cust_id: "cust_id",
  customer_promo_code: "display_coupon",
  initial_campaign_id: "campaign.id",
  destination_campaign_id: "campaign.id",
  source_campaign_id: "campaign.id",
  from_campaign_id: "campaign.id",
  to_campaign_id: "campaign.id",
  campaign_ids: "campaign.id",
  promoter_ids: "promoter.id",
  product_ids: "product.id",
};

/** Values from answers, which let later requests reach existing records. */
export interface Known {
  /** Remembers the values of an answer. */
  learn(path: string, body: unknown): void;
  add(name: string, value: unknown): void;
  /** A value that a field of this name may well have; undefined: nothing is known. */
  value(dice: Dice, path: string, field: string): unknown;
}

/** Starts without any values. */
export function newKnown(): Known {
  const values = new Map<string, unknown[]>();

  function add(name: string, value: unknown): void {
    const known = values.get(name) ?? [];
    values.set(name, known);
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > MOST) known.shift();
  }

  function learn(path: string, body: unknown): void {
    if (Array.isArray(body)) for (const item of body.slice(0, 10)) learn(path, item);
    else if (typeof body === "object" && body !== null) {
      for (const [name, value] of Object.entries(body)) {
        if (typeof value === "object") learn(name === "data" ? path : `/${name}`, value);
        else if (typeof value === "string" || typeof value === "number") {
          if (value === "") continue;
          add(keyOf(path, name), value);
          if (name === "email") add(`${resourceOf(path)}.email`, value);
        }
      }
    }
  }

  return {
    add,
    learn,
    value(dice, path, field) {
      const found = values.get(keyOf(path, field));
      return found === undefined ? undefined : dice.pick(found);
    },
  };
}

function keyOf(path: string, field: string): string {
  if (field === "id" || field === "ids") return `${resourceOf(path)}.id`;
  const same = SAME[field];
  if (same !== undefined) return same;
  return field.endsWith("_id") && /campaign|promot|webhook|reward|payout_m/.test(field)
    ? `${resourceOf(field)}.id`
    : field;
}

function resourceOf(path: string): string {
  // The last part of a path that names a resource: `/webhooks/1/webhook_deliveries/2`.
  for (const part of path.split("/").toReversed()) {
    const found = RESOURCES.find(([pattern]) => pattern.test(part));
    if (found !== undefined) return found[1];
  }
  return path.split("/").findLast((part) => part !== "" && !part.startsWith("{")) ?? "thing";
}
