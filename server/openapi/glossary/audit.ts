import type { Fields, Operations } from "./entry.ts";

/** Fields of the audit log. */
export const AUDIT_FIELDS: Fields = {
  "AuditEntry.id": ["Id of the entry.", 4711],
  "AuditEntry.at": ["When it was changed.", "2026-03-04T05:06:07.890Z"],
  "AuditEntry.actor": "Who changed it.",
  "actor.kind":
    "`user`: somebody in the dashboard. `key`: a program with an API key. `promoter`: a promoter in the portal. `command_line`: whoever runs `tidemark` on the server. `process`: the server itself.",
  "actor.id": ["Id of the user or promoter. null: the others have none.", 3],
  "actor.name": ["E-mail address of the user or promoter, or the name of the key.", "alex@acme.example"],
  "AuditEntry.action":
    "What happened to the record. `erased`: everything personal was removed from it. `viewed`: somebody looked at a promoter's portal. `exported`: somebody took a file of all records of the kind.",
  "AuditEntry.entity": "The kind of the record.",
  "AuditEntry.entity_id": ["Id of the record, as text.", "17"],
  "AuditEntry.before": [
    "The fields that changed, as they were. Secrets show only `hidden`. null: the record is new, or the person was erased.",
    { status: "pending" },
  ],
  "AuditEntry.after": [
    "The fields that changed, as they became. Secrets show only `hidden`. null: the record was deleted, or the person was erased.",
    { status: "approved" },
  ],
  "filters.actor": "Only changes by this kind of actor.",
  "filters.actor_id": ["Only changes by this user or promoter.", 3],
  "filters.action": "Only changes of this kind.",
  "filters.entity": "Only changes of this kind of record.",
  "filters.entity_id": ["Only changes of the record with this id.", "17"],
  "at.from": ["Only changes from this instant or day on.", "2026-03-01"],
  "at.to": ["Only changes up to this instant, or to the end of this day.", "2026-03-31"],
};

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
