/** Makes the payouts of one period, once. Its record lets a run that was cut short go on. */
export interface PayoutRun {
  accountId: number;
  id: number;
  /** The period's name, which all payouts of the run carry. No two runs of an account share one. */
  groupRef: string;
  periodStart: string;
  periodEnd: string;
  startedAt: string;
  /** null: it is under way, or was cut short. */
  finishedAt: string | null;
}
