import { downloadAuditLog, listAuditLog } from "./audit/audit-log.ts";
import type { OpenRow } from "./open-operation.ts";
import type { V2Row } from "./operation.ts";
import {
  checkLinkOperation,
  followLinkOperation,
  showSessionOperation,
  signInOperation,
  signOutOperation,
} from "./session/session.ts";

/** The people who run the program, and what they changed. The paths are below `/api/v2/company`. */
export const USER_OPERATIONS: V2Row[] = [
  ["GET", "/session", showSessionOperation, "person"],
  ["DELETE", "/session", signOutOperation, "person"],
  ["GET", "/audit_log", listAuditLog],
  ["GET", "/audit_log/download", downloadAuditLog],
];

/** The operations of the company that need no sign-in. */
export const OPEN_OPERATIONS: OpenRow[] = [
  ["POST", "/api/v2/company/session", signInOperation],
  ["POST", "/api/v2/company/session/link/check", checkLinkOperation],
  ["POST", "/api/v2/company/session/link", followLinkOperation],
];
