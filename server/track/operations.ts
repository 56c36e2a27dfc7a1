import type { Method } from "../http/operation.ts";
import { trackClick } from "./click.ts";
import { trackDetails } from "./details.ts";
import type { PublicOperation } from "./public-route.ts";
import { trackSignup } from "./signup.ts";
import { trackWithdrawal } from "./withdraw.ts";

/** All operations that browsers call. */
export const PUBLIC_OPERATIONS: [Method, path: string, PublicOperation][] = [
  ["POST", "/t/click", trackClick],
  ["POST", "/t/signup", trackSignup],
  ["POST", "/t/withdraw", trackWithdrawal],
  ["GET", "/t/details", trackDetails],
  ["POST", "/t/details", trackDetails],
];
