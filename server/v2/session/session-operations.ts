import type { OpenRow } from "../open-operation.ts";
import type { V2Row } from "../operation.ts";
import {
  checkLinkOperation,
  followLinkOperation,
  showSessionOperation,
  signInOperation,
  signOutOperation,
} from "./session.ts";

/** Signing in and out. The paths are below `/api/v2/company`. */
export const SESSION_OPERATIONS: V2Row[] = [
  ["GET", "/session", showSessionOperation, "person"],
  ["DELETE", "/session", signOutOperation, "person"],
];

/** The operations of the company that need no sign-in. */
export const OPEN_OPERATIONS: OpenRow[] = [
  ["POST", "/api/v2/company/session", signInOperation],
  ["POST", "/api/v2/company/session/link/check", checkLinkOperation],
  ["POST", "/api/v2/company/session/link", followLinkOperation],
];
