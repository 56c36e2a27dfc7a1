import type { Page } from "playwright-core";
import type { Role } from "../../server/domain/user/record.ts";

/** A page to take pictures of. */
export interface Shot {
  name: string;
  path: string;
  /** Absent: nobody is signed in. */
  role?: Role;
  /** Brings the page into the state to show. */
  ready?: (page: Page) => Promise<void>;
}

export const SHOTS: Shot[] = [
  { name: "sign-in", path: "/admin" },
  { name: "not-found", path: "/admin/nothing", role: "owner" },
  { name: "home", path: "/admin", role: "owner" },
  { name: "home-year", path: "/admin#range=365&show=revenue_amount", role: "owner" },
  { name: "mail", path: "/admin/settings/mail", role: "owner" },
];
