/** The result of an operation on many records. */
export interface BatchProcess {
  accountId: number;
  id: number;
  /** The operation, in words for people. */
  label: string;
  total: number;
  processedCount: number;
  /** One sentence for each record that was not changed. */
  errors: string[];
  meta: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}
