import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { TestApp } from "./app.ts";
import { quiet } from "./pages.ts";
import { signedInBrowser } from "./portal.ts";
import { company, reward } from "./v2.ts";

/** The paths of the pages that a file lists, with the first record of each kind. */
const pathsIn = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/\bpath: "(\/[^"]*)"/g)].map(([, path = ""]) =>
    path.replace(":id", "1"),
  );

/** All pages of the dashboard, for its owner. */
export const DASHBOARD = [...pathsIn("client/dashboard/pages.ts"), "/admin/nothing"];

/** All pages of the portal, for a promoter. */
export const PORTAL = [...pathsIn("client/portal/frame.tsx"), "/portal/nothing"];

/** Pages that need no session. */
export const OPEN = [
  "/admin/sign-in",
  "/admin/welcome",
  "/portal",
  "/portal/welcome",
  "/iframe",
  "/join/1",
  "/join/999",
  "/unsubscribe",
  "/not-me",
  "/demo",
  "/docs",
];

/** Gives a made-up account something to show on each page, and an address that signs the first promoter in. */
export async function furnish(app: TestApp): Promise<string> {
  await company(app, "PUT /campaigns/1", {
    promoters_may_add_leads: true,
    promoters_may_make_promo_codes: true,
    rewards_for_promoters: [{ reward_id: await reward(app, {}) }],
    signup: { description: "Earn with us.", terms: "Be nice.", questions: [{ label: "Blog?" }] },
  });
  const email = await company(app, "POST /emails", {
    name: "News",
    subject: "News",
    content: "Hello",
    allowed_campaign_ids: [],
    trigger: { enabled: true, trigger_on: "broadcast", settings: {} },
  });
  expect(email.body).toMatchObject({ id: 1 });
  return acceptedEntrance(app);
}

/** An address that signs in the first promoter, who accepts the terms of their campaigns. */
export async function acceptedEntrance(app: TestApp): Promise<string> {
  const authToken = authTokenOf(await app.v1("/promoters/update", { id: "1" }));
  const browser = await signedInBrowser(app, authToken, { origin: app.services.public_url });
  const { terms } = (await browser.call("GET /agreements")).body as {
    terms: { campaign: { id: number }; version: string }[];
  };
  const accepted = terms.map(({ campaign, version }) => ({ campaign_id: campaign.id, version }));
  expect((await browser.call("POST /agreements", { accepted_terms: accepted })).status).toBe(200);
  return entranceOf(authToken);
}

/** An address that signs in a promoter who has not accepted the terms yet. */
export async function newcomer(app: TestApp): Promise<string> {
  const params = { email: "newcomer@example.com", campaign_id: "1" };
  return entranceOf(authTokenOf(await app.v1("/promoters/create", params)));
}

const authTokenOf = ({ body }: { body: unknown }) => (body as { auth_token: string }).auth_token;
const entranceOf = (authToken: string) => `/portal?auth_token=${authToken}`;

/** Waits until a page has its title and its records. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await quiet(page);
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
  const { pathname, hash } = new URL(page.url());
  // With the name of an operation, the viewer shows it.
  if (pathname === "/docs" && hash !== "")
    await page.locator("rapi-doc").getByRole("heading").first().waitFor();
}

/** Opens each tab of a page in turn, or looks once at a page without tabs, whose name is then empty. */
export async function eachTab(page: Page, look: (tab: string) => Promise<void>): Promise<void> {
  await settled(page);
  const tabs = await page.getByRole("tab").allTextContents();
  for (const tab of tabs.length === 0 ? [""] : tabs) {
    if (tab !== "") await page.getByRole("tab", { name: tab, exact: true }).click();
    await settled(page);
    await look(tab);
  }
}
