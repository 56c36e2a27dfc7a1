/** Makes the payouts of one period, once. Its record lets an interrupted run continue. */
export interface PayoutRun {
  accountId: number;
  id: number;
  /** The period's name, which all payouts of the run carry. No two runs of an account share one. */
  groupRef: string;
  periodStart: string;
  periodEnd: string;
  startedAt: string;
  /** null: it is running, or was interrupted. */
  finishedAt: string | null;
}
