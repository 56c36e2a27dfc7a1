import type { Page } from "playwright-core";
import type { Role } from "../../server/domain/access/user/user.ts";

/** A page to take pictures of. */
export interface Shot {
  name: string;
  path: string;
  /** Who looks at it. Absent: no one is signed in. */
  as?: Role | "promoter";
  /** Brings the page into the state to show. */
  ready?: (page: Page) => Promise<void>;
}

const press =
  (name: string): NonNullable<Shot["ready"]> =>
  async (page) => {
    await page.getByRole("button", { name, exact: true }).first().click();
    await page.getByRole("dialog").waitFor();
  };

/** A picture of each path. Its name is made from the path. */
const each = (as: Role | "promoter", paths: string[]): Shot[] =>
  paths.map((path) => ({ name: path.slice(1).replace(/\W+/g, "-"), path, as }));

export const SHOTS: Shot[] = [
  { name: "sign-in", path: "/admin" },
  { name: "portal-sign-in", path: "/portal" },
  { name: "join", path: "/join/1" },
  { name: "join-nowhere", path: "/join/999" },
  { name: "demo", path: "/demo" },
  { name: "docs", path: "/docs" },
  ...each("owner", [
    "/admin",
    "/admin#range=365&show=revenue_amount",
    "/admin/nothing",
    "/admin/promoters",
    "/admin/promoters/1",
    "/admin/leads",
    "/admin/leads/1",
    "/admin/campaigns",
    "/admin/campaigns/1",
    "/admin/campaigns/1#tab=settings",
    "/admin/campaigns/1#tab=rewards",
    "/admin/rewards",
    "/admin/promo-codes",
    "/admin/assets",
    "/admin/emails",
    "/admin/emails/frame",
    "/admin/emails/new#trigger=lead_signup",
    "/admin/contracts",
    "/admin/commissions",
    "/admin/payouts",
    "/admin/payouts#tab=all",
    "/admin/payouts#tab=batches",
    "/admin/payouts#tab=next",
    "/admin/payouts#tab=providers",
    "/admin/payouts#tab=runs",
    "/admin/invoices",
    "/admin/invoices#tab=settings",
    "/admin/invoices#tab=template",
    "/admin/reports",
    "/admin/reports#report=promoters&by=month&from=2025-03-05",
    "/admin/settings/integration",
    "/admin/settings/billing",
    "/admin/settings/webhooks",
    "/admin/settings/mail",
    "/admin/settings/come-over",
    "/admin/settings/switch",
    "/admin/settings/import",
    "/admin/settings/export",
    "/admin/settings/account",
    "/admin/settings/bank-account",
    "/admin/settings/rates",
    "/admin/settings/users",
    "/admin/settings/audit",
    "/admin/settings/profile",
  ]),
  { name: "not-allowed", path: "/admin/settings/users", as: "viewer" },
  { name: "campaign-new", path: "/admin/campaigns", as: "owner", ready: press("Add a campaign") },
  { name: "reward-new", path: "/admin/rewards", as: "owner", ready: press("Add a reward") },
  { name: "commission-new", path: "/admin/commissions", as: "manager", ready: press("Give a commission") },
  ...each("promoter", [
    "/portal",
    "/portal/links",
    "/portal/assets",
    "/portal/leads",
    "/portal/commissions",
    "/portal/payouts",
    "/portal/invoices",
    "/portal/campaigns",
    "/portal/contracts",
    "/portal/people",
    "/portal/settings",
    "/portal/settings#tab=payout",
    "/portal/stripe",
  ]),
];
