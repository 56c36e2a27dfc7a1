import type { SYSTEM } from "../account/account.ts";

/** The holder of a lease: the one process that may do a certain kind of work. */
export interface LeaseRecord {
  accountId: typeof SYSTEM;
  name: string;
  /** Blank: nobody. */
  holder: string;
  /** Grows with each renewal, which shows that the holder is alive. */
  term: number;
}
