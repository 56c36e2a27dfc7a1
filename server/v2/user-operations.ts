import { showAccountOperation, updateAccountOperation } from "./account/account.ts";
import { createApiKeyOperation, listApiKeysOperation, revokeApiKeyOperation } from "./account/api-keys.ts";
import { downloadAuditLog, listAuditLog } from "./audit/audit-log.ts";
import type { OpenRow, V2Row } from "./operation.ts";
import {
  changePasswordOperation,
  endOwnSessionOperation,
  listOwnSessionsOperation,
  updateOwnNameOperation,
  beginSecondFactorOperation,
  confirmSecondFactorOperation,
  removeSecondFactorOperation,
} from "./session/profile.ts";
import {
  inviteUserOperation,
  listUsersOperation,
  removeUserOperation,
  resetUserOperation,
  updateUserOperation,
} from "./user/users.ts";
import {
  checkLinkOperation,
  followLinkOperation,
  requestResetOperation,
  showSessionOperation,
  signInOperation,
  signOutOperation,
} from "./session/session.ts";

/** The operations for users, the account and the audit log. The paths are below `/api/v2/company`. */
export const USER_OPERATIONS: V2Row[] = [
  ["GET", "/session", showSessionOperation, "person"],
  ["DELETE", "/session", signOutOperation, "person"],
  ["PUT", "/session", updateOwnNameOperation, "person"],
  ["PUT", "/session/password", changePasswordOperation, "person"],
  ["POST", "/session/second_factor", beginSecondFactorOperation, "person"],
  ["POST", "/session/second_factor/confirm", confirmSecondFactorOperation, "person"],
  ["DELETE", "/session/second_factor", removeSecondFactorOperation, "person"],
  ["GET", "/session/sessions", listOwnSessionsOperation, "person"],
  ["DELETE", "/session/sessions/:id", endOwnSessionOperation, "person"],
  ["GET", "/users", listUsersOperation, "owner"],
  ["POST", "/users", inviteUserOperation, "owner"],
  ["PUT", "/users/:id", updateUserOperation, "owner"],
  ["PATCH", "/users/:id", updateUserOperation, "owner"],
  ["DELETE", "/users/:id", removeUserOperation, "owner"],
  ["POST", "/users/:id/reset", resetUserOperation, "owner"],
  ["GET", "/api_keys", listApiKeysOperation, "owner"],
  ["POST", "/api_keys", createApiKeyOperation, "owner"],
  ["DELETE", "/api_keys/:id", revokeApiKeyOperation, "owner"],
  ["GET", "/account", showAccountOperation],
  ["PUT", "/account", updateAccountOperation, "owner"],
  ["PATCH", "/account", updateAccountOperation, "owner"],
  ["GET", "/audit_log", listAuditLog],
  ["GET", "/audit_log/download", downloadAuditLog],
];

/** The operations of the company that need no sign-in. */
export const OPEN_OPERATIONS: OpenRow[] = [
  ["POST", "/api/v2/company/session", signInOperation],
  ["POST", "/api/v2/company/session/link/check", checkLinkOperation],
  ["POST", "/api/v2/company/session/link", followLinkOperation],
  ["POST", "/api/v2/company/session/reset", requestResetOperation],
];
