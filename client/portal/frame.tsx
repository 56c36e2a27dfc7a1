import type { ComponentType } from "preact";
import { Route, Router } from "preact-iso/router";
import { Guarded } from "../ui/shell/guarded.tsx";
import { lazy, type LazyPage } from "../ui/shell/lazy.tsx";
import { NotFound } from "../ui/shell/not-found.tsx";
import { Shell } from "../ui/shell/shell.tsx";
import { Who } from "../ui/shell/who.tsx";
import { session, signOut } from "./session/session.ts";
import { SignInAgain } from "./session/sign-in-again.tsx";
import { at } from "../ui/base.ts";
import { t, type TextKey } from "../languages/messages.ts";

/** All pages, in the order of the navigation, with the keys of their titles. */
export const PAGES: { path: string; title: TextKey; component: LazyPage }[] = [
  {
    path: "/portal",
    title: "page.home",
    component: lazy(async () => (await import("./home/home.tsx")).Home),
  },
  {
    path: "/portal/links",
    title: "page.links",
    component: lazy(async () => (await import("./links/links.tsx")).Links),
  },
  {
    path: "/portal/figures",
    title: "page.figures",
    component: lazy(async () => (await import("./links/figures.tsx")).Figures),
  },
  {
    path: "/portal/assets",
    title: "page.assets",
    component: lazy(async () => (await import("./assets/assets.tsx")).Assets),
  },
  {
    path: "/portal/leads",
    title: "page.leads",
    component: lazy(async () => (await import("./money/leads.tsx")).Leads),
  },
  {
    path: "/portal/commissions",
    title: "page.commissions",
    component: lazy(async () => (await import("./money/commissions.tsx")).Commissions),
  },
  {
    path: "/portal/payouts",
    title: "page.payouts",
    component: lazy(async () => (await import("./money/payouts.tsx")).Payouts),
  },
  {
    path: "/portal/invoices",
    title: "page.invoices",
    component: lazy(async () => (await import("./money/invoices.tsx")).Invoices),
  },
  {
    path: "/portal/campaigns",
    title: "page.campaigns",
    component: lazy(async () => (await import("./campaigns/campaigns.tsx")).Campaigns),
  },
  {
    path: "/portal/contracts",
    title: "page.contracts",
    component: lazy(async () => (await import("./contracts/contracts.tsx")).Contracts),
  },
  {
    path: "/portal/people",
    title: "page.people",
    component: lazy(async () => (await import("./people/people.tsx")).People),
  },
  {
    path: "/portal/settings",
    title: "page.settings",
    component: lazy(async () => (await import("./settings/settings.tsx")).Settings),
  },
];

/** Where Stripe leads back to. The navigation does not name it, because the settings show the same. */
const STRIPE = {
  path: "/portal/stripe",
  component: lazy(async () => (await import("./settings/stripe-account.tsx")).StripePage),
};

/** The pages for signed-in promoters. */
export function Frame() {
  const signedIn = session.value;
  if (signedIn === null) return null;
  return (
    <Shell
      name={signedIn.account.name}
      home="/portal"
      groups={[{ items: PAGES.map(({ path, title }) => ({ path, title: t(title) })) }]}
      who={<Who {...signedIn.promoter} signOut={signOut} />}
    >
      {signedIn.is_read_only && (
        <p class="notice warn" role="status">
          {t("frame.viewing", { name: signedIn.promoter.name })}
        </p>
      )}
      <Router>
        {[...PAGES, STRIPE].map(({ path, component }) => (
          <Fresh key={path} path={at(path)} component={component} />
        ))}
        <Route default component={NotFound} home="/portal" />
      </Router>
      <SignInAgain />
    </Shell>
  );
}

/** A page that starts over at each path, so that an error on one page does not affect the next. */
function Fresh({ path, component: Component }: { path: string; component: ComponentType }) {
  return (
    <Guarded key={path} helper={t("frame.helper")}>
      <Component />
    </Guarded>
  );
}
