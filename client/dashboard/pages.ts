import { lazy, type LazyPage } from "../ui/shell/lazy.tsx";
import type { Role } from "./session/session.ts";

/** A page of the dashboard. */
export interface PageRow {
  path: string;
  component: LazyPage;
  /** Its name in the navigation. Absent if it is reached from another page. */
  title?: string;
  /** Its heading in the navigation. */
  group?: "Program" | "Money" | "Settings";
  /** The lowest role that sees it, `viewer` by default. The server checks every action. */
  role?: Role;
}

/** All pages, in the order of the navigation. */
export const PAGES: PageRow[] = [
  { path: "/admin", title: "Home", component: lazy(async () => (await import("./home/home.tsx")).Home) },
  {
    path: "/admin/promoters",
    title: "Promoters",
    group: "Program",
    component: lazy(async () => (await import("./promoters/promoters.tsx")).Promoters),
  },
  {
    path: "/admin/promoters/:id",
    component: lazy(async () => (await import("./promoters/promoter.tsx")).PromoterPage),
  },
  {
    path: "/admin/leads",
    title: "Leads",
    group: "Program",
    component: lazy(async () => (await import("./leads/leads.tsx")).Leads),
  },
  {
    path: "/admin/leads/:id",
    component: lazy(async () => (await import("./leads/lead.tsx")).LeadPage),
  },
  {
    path: "/admin/campaigns",
    title: "Campaigns",
    group: "Program",
    component: lazy(async () => (await import("./campaigns/campaigns.tsx")).Campaigns),
  },
  {
    path: "/admin/campaigns/:id",
    component: lazy(async () => (await import("./campaigns/campaign.tsx")).CampaignPage),
  },
  {
    path: "/admin/assets",
    title: "Assets",
    group: "Program",
    component: lazy(async () => (await import("./assets/assets.tsx")).Assets),
  },
  {
    path: "/admin/contracts",
    title: "Contracts",
    group: "Program",
    component: lazy(async () => (await import("./contracts/contracts.tsx")).Contracts),
  },
  {
    path: "/admin/emails",
    title: "E-mails",
    group: "Program",
    component: lazy(async () => (await import("./emails/emails.tsx")).Emails),
  },
  {
    path: "/admin/emails/frame",
    component: lazy(async () => (await import("./emails/frame.tsx")).EmailFrame),
  },
  {
    path: "/admin/emails/:id",
    component: lazy(async () => (await import("./emails/email.tsx")).EmailPage),
  },
  {
    path: "/admin/rewards",
    title: "Rewards",
    group: "Program",
    component: lazy(async () => (await import("./rewards/rewards.tsx")).Rewards),
  },
  {
    path: "/admin/promo-codes",
    title: "Promo codes",
    group: "Program",
    component: lazy(async () => (await import("./promo-codes/promo-codes.tsx")).PromoCodes),
  },
  {
    path: "/admin/commissions",
    title: "Commissions",
    group: "Money",
    component: lazy(async () => (await import("./commissions/commissions.tsx")).Commissions),
  },
  {
    path: "/admin/payouts",
    title: "Payouts",
    group: "Money",
    component: lazy(async () => (await import("./payouts/payouts.tsx")).Payouts),
  },
  {
    path: "/admin/invoices",
    title: "Invoices",
    group: "Money",
    component: lazy(async () => (await import("./invoices/invoices.tsx")).Invoices),
  },
  {
    path: "/admin/reports",
    title: "Reports",
    group: "Money",
    component: lazy(async () => (await import("./reports/reports.tsx")).Reports),
  },
  {
    path: "/admin/settings/integration",
    title: "Integration",
    group: "Settings",
    component: lazy(async () => (await import("./settings/integration.tsx")).Integration),
    role: "manager",
  },
  {
    path: "/admin/settings/billing",
    title: "Billing",
    group: "Settings",
    component: lazy(async () => (await import("./settings/billing.tsx")).Billing),
    role: "owner",
  },
  {
    path: "/admin/settings/webhooks",
    title: "Webhooks",
    group: "Settings",
    component: lazy(async () => (await import("./settings/webhooks.tsx")).Webhooks),
  },
  {
    path: "/admin/settings/mail",
    title: "Mail server",
    group: "Settings",
    component: lazy(async () => (await import("./settings/mail.tsx")).MailSettings),
  },
  {
    path: "/admin/settings/brand",
    title: "Brand",
    group: "Settings",
    component: lazy(async () => (await import("./settings/brand.tsx")).BrandSettings),
    role: "manager",
  },
  {
    path: "/admin/settings/account",
    title: "Account",
    group: "Settings",
    component: lazy(async () => (await import("./settings/account.tsx")).AccountSettings),
    role: "owner",
  },
  {
    path: "/admin/settings/bank-account",
    component: lazy(async () => (await import("./settings/bank-account.tsx")).BankAccountSettings),
    role: "owner",
  },
  {
    path: "/admin/settings/rates",
    title: "Exchange rates",
    group: "Settings",
    component: lazy(async () => (await import("./settings/rates.tsx")).ExchangeRates),
  },
  {
    path: "/admin/settings/users",
    title: "Users",
    group: "Settings",
    component: lazy(async () => (await import("./settings/users.tsx")).Users),
    role: "owner",
  },
  {
    path: "/admin/settings/audit",
    title: "Audit log",
    group: "Settings",
    component: lazy(async () => (await import("./settings/audit.tsx")).AuditLog),
  },
  {
    path: "/admin/settings/come-over",
    title: "Move here",
    group: "Settings",
    component: lazy(async () => (await import("./settings/migrations.tsx")).ComeOver),
    role: "owner",
  },
  {
    path: "/admin/settings/switch",
    title: "Switch",
    group: "Settings",
    component: lazy(async () => (await import("./settings/switch.tsx")).SwitchPage),
  },
  {
    path: "/admin/settings/import",
    title: "Import",
    group: "Settings",
    component: lazy(async () => (await import("./settings/import.tsx")).Import),
    role: "manager",
  },
  {
    path: "/admin/settings/export",
    title: "Export",
    group: "Settings",
    component: lazy(async () => (await import("./settings/export.tsx")).Export),
    role: "manager",
  },
  {
    path: "/admin/settings/profile",
    title: "Your profile",
    group: "Settings",
    component: lazy(async () => (await import("./settings/profile.tsx")).Profile),
  },
];
