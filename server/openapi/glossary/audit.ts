import type { Operations } from "./entry.ts";

/** Operations of the audit log. */
export const AUDIT_OPERATIONS: Operations = {
  "GET /api/v2/company/audit_log": [
    "listAuditLog",
    "Lists who changed settings, people, money and keys, with the values before and after. Clicks, sign-ups and sales are records of their own and are not repeated here.",
  ],
  "GET /api/v2/company/audit_log/download": [
    "downloadAuditLog",
    "The same entries as a CSV file, all of them and oldest first, with `before` and `after` as JSON.",
  ],
};
