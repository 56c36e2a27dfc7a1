/** The name of the counters of a payments batch's payouts by status. */
export const BATCH_STATUS_COUNTER = "payout.batch-status";
