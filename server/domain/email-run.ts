import { table } from "../storage/table.ts";

/** An e-mail that is being sent to all promoters of its campaigns. It is removed when all have got it. */
export interface EmailRun {
  accountId: number;
  /** The id of its batch. */
  id: number;
  emailId: number;
  /** All promoters up to this id have got it, or are left out. */
  afterPromoterId: number;
  createdAt: string;
}

export const emailRuns = table<EmailRun>()({
  name: "email-run",
  columns: { id: "integer", email_id: "integer" },
  unique: { email: ["email_id"] },
});
