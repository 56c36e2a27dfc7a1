/** The exchange rates of one day. */
export interface DayRates {
  /** `SYSTEM`: the operator's, for all accounts. Otherwise the account's own. */
  accountId: number;
  /** In UTC, such as `2026-03-04`. */
  day: string;
  /** ISO 4217 code of the currency that the rates are relative to. */
  base: string;
  /** How much of each currency one unit of the base buys, as decimal text. */
  rates: Record<string, string>;
  updatedAt: string;
}
