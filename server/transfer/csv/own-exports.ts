import { Failure } from "../../failure.ts";

/**
 * Columns that together are only in our own files: those of `tidemark export --open`, and the list of payouts. Such a
 * file has a part of the program. An import of it would lose links, codes and states, and owe again what was paid.
 */
const OWN_COLUMNS = [
  ["cookie_days", "rewards_for_promoters"],
  ["tier_mode", "provider_coupon_id"],
  ["net_payout_days", "wants_no_emails"],
  ["shown_promo_code", "own_rewards"],
  ["promoter_campaign_id", "sub_id"],
  ["promoter_campaign_id", "ext_id"],
  ["refunded_amount", "is_duplicate"],
  ["sale_id", "lead_id", "original_amount"],
  ["takes_back_id", "is_paid_elsewhere"],
  ["period_end", "total_incl_tax"],
  ["replaced_by_id", "is_selected"],
];

/** Refuses our own exports. @throws Failure `malformed` with the right command */
export function refuseOwnExport(titles: readonly string[]): void {
  if (!OWN_COLUMNS.some((columns) => columns.every((name) => titles.includes(name)))) return;
  throw new Failure(
    "malformed",
    `The file is one of Tidemark's own exports, and has only a part of the program. ${RIGHT_COMMANDS}`,
  );
}

const RIGHT_COMMANDS =
  "`tidemark export FILE` and `tidemark import FILE` copy all of it, and so does `tidemark move`";

/** Refuses JSON lines, which our own exports are, too. @throws Failure `malformed` */
export function refuseJson(firstLine: string): void {
  if (!/^\uFEFF?\s*[{[]/.test(firstLine)) return;
  throw new Failure(
    "malformed",
    `The file is JSON, not CSV. If it is an export of Tidemark: ${RIGHT_COMMANDS}`,
  );
}
