import type { Dice } from "./dice.ts";
import type { Known } from "./known.ts";

/** The part of JSON Schema that the document uses. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
}

/** What values are made from. */
export interface Making {
  dice: Dice;
  known: Known;
  /** The path of the request. */
  path: string;
}

const WORDS = ["jane", "acme", "winter-2026", "Order 7", "Åse", "x"];
const CURRENCIES = ["USD", "EUR", "JPY"];
const EVENTS = [
  "referral.created",
  "payout.completed",
  "promoter.updated",
  "promo_code.created",
  "webhook.test",
];

/** Values for fields whose schema says little, by the field's name. */
const BY_NAME: [pattern: RegExp, make: (making: Making) => unknown][] = [
  [/emails?$/, ({ dice }) => `fuzz-${dice.below(1e6)}@example.com`],
  [/tid$/, ({ dice }) => uuid(dice)],
  [/_at$|_since$|date$|^from$|^to$/, ({ dice }) => day(dice)],
  [/^period_/, ({ dice }) => day(dice)],
  [/ref_token$|ref_id$/, ({ dice }) => `ref-${dice.below(1e6)}`],
  [/url$|referrer|website/, ({ dice }) => `https://www.acme.example/${dice.pick(WORDS)}?via=jane`],
  [/event_type/, ({ dice }) => dice.pick(EVENTS)],
  [/^page$/, ({ dice }) => String(1 + dice.below(3))],
  [/^per_page$/, ({ dice }) => dice.pick(["1", "10", "500"])],
  [/^(custom_fields|metadata|details|meta)$/, ({ dice }) => ({ [dice.pick(WORDS)]: dice.pick(WORDS) })],
  [/^(ip)$/, ({ dice }) => `198.51.${dice.below(256)}.${dice.below(256)}`],
  [/^rates$/, ({ dice }) => ({ [dice.pick(CURRENCIES)]: "1.25" })],
  [/^base$|currency$/, ({ dice }) => dice.pick(CURRENCIES)],
  [/^domain$/, () => "acme.example"],
  [/^cid$/, () => "acme"],
  [/ref_token_param/, ({ dice }) => dice.pick(["?via", "?ref", "via"])],
  [/color/, () => "#2563eb"],
  [/(^id|_id|ids)$/, ({ dice }) => 1 + dice.below(40)],
  [/^(code|coupon|display_coupon|promo_code|uid|cust_id)$/, ({ dice }) => `c${dice.below(1e6)}`],
  [
    /amount|count|days|timeout|retries|months|level|life|redemptions/,
    ({ dice }) => String(1 + dice.below(60)),
  ],
];

/** A plausible value for a field: from a known record, or a new one. */
export function plausible(making: Making, field: string, schema: Schema): unknown {
  const { dice, known, path } = making;
  const choices = schema.anyOf?.filter(({ type }) => type !== "null");
  if (choices?.length) return plausible(making, field, dice.pick(choices));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return dice.pick(schema.enum);
  const types = [schema.type ?? []].flat();
  if (schema.properties || (types[0] === "object" && field !== "rates")) return someOf(making, schema);
  if (types[0] === "array") return listOf(making, field, schema);
  const seen = known.value(dice, path, field);
  if (seen !== undefined && dice.percent(/email|uid|cust_id|^tid|ref_|code/.test(field) ? 60 : 85))
    return seen;
  if (types.includes("boolean")) return dice.pick([true, false, "1", "no"]);
  const [, make] = BY_NAME.find(([pattern]) => pattern.test(field)) ?? [];
  if (make !== undefined) return make(making);
  return types[0] === "number" || types[0] === "integer" ? 1 + dice.below(50) : dice.pick(WORDS);
}

/** The required fields and some of the others. */
export function someOf(making: Making, { properties = {}, required = [] }: Schema): Record<string, unknown> {
  const { dice } = making;
  const share = dice.pick([10, 30, 80]);
  const chosen = Object.entries(properties).filter(
    ([name]) => required.includes(name) || dice.percent(share),
  );
  return Object.fromEntries(chosen.map(([name, schema]) => [name, plausible(making, name, schema)]));
}

function listOf(making: Making, field: string, { items = {}, minItems = 0 }: Schema): unknown[] {
  const length = Math.max(minItems, making.dice.below(4));
  return Array.from({ length }, () => plausible(making, field, items));
}

function day(dice: Dice): string {
  const date = new Date(Date.UTC(2026, 0, 1) + (dice.below(900) - 450) * 86_400_000).toISOString();
  return dice.percent(50) ? date.slice(0, 10) : date;
}

function uuid(dice: Dice): string {
  return `00000000-0000-4000-8000-${String(dice.below(1e6)).padStart(12, "0")}`;
}
