import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 4, leads: 6, sales: 6 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("steps are seen, and the others are ticked by hand", async () => {
    const page = await pages.open("/admin/settings/switch", { width, role: "manager", isDark: width < 600 });
    await page.getByRole("heading", { name: "Your switch in ten steps" }).waitFor();
    const step = page
      .getByRole("listitem")
      .filter({ hasText: "Remove the other program's script from your site" });
    await step.locator("summary").click();
    expect(await faultsOf(page)).toEqual([]);
    await step.getByRole("button", { name: "Tick by hand" }).click();
    await step.getByText("Ticked by hand").waitFor();
    await step.getByRole("button", { name: "Not done yet" }).click();
    await step.getByRole("button", { name: "Tick by hand" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "Bring your records" }).getByText("Seen").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

it("promoters are sent their new links once, and the list of them is downloaded", async () => {
  const page = await pages.open("/admin/settings/switch", { role: "owner" });
  await page.getByLabel("What old links begin with").fill("https://acme.partnerlinks.io/");
  const downloaded = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the list of links" }).click();
  const file = await downloaded;
  expect(file.suggestedFilename()).toBe("links-2026-03-04.csv");
  expect(readFileSync(await file.path(), "utf8")).toContain("https://acme.partnerlinks.io/");
  await page.getByRole("button", { name: "E-mail promoters their new links" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Send \d+ e-mails?$/ })
    .click();
  await page.getByText(/^\d+ e-mails? will be sent$/).waitFor();
  await page.getByText(/^Sent to \d+ promoters?, last on/).waitFor();
  const sent = (await pages.app.records.all("delivery")).filter(({ email }) => email?.kind === "new_links");
  expect(sent.length).toBeGreaterThan(0);
  await page.getByRole("button", { name: "E-mail promoters their new links" }).click();
  await page.getByText("All promoters already have their new link").waitFor();
});

it("a viewer sees the steps and changes none", async () => {
  const page = await pages.open("/admin/settings/switch", { role: "viewer" });
  await page.getByRole("heading", { name: "From another program to here" }).waitFor();
  expect(await page.getByRole("button", { name: "Tick by hand" }).count()).toBe(0);
  expect(await page.getByRole("heading", { name: "New links for promoters" }).count()).toBe(0);
});
