/** One rate of a file: how much of a currency one unit of the base buys on a day. */
export interface RateRow {
  /** null: the file's form has no lines. */
  line: number | null;
  date: string;
  base: string;
  currency: string;
  rate: string;
}

/** A line that can't be read. */
export interface BadRow {
  line: number;
  fault: string;
}
