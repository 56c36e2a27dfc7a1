import type { SYSTEM } from "../account/record.ts";

/** The holder of a lease: the process that does work which only one may do at a time. */
export interface Lease {
  accountId: typeof SYSTEM;
  name: string;
  /** Blank: nobody. */
  holder: string;
  /** Grows with each renewal, which shows that the holder is alive. */
  term: number;
}
