import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 5, leads: 20, sales: 30 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("all leads are downloaded as one file", async () => {
    const page = await pages.open("/admin/settings/export", { width, role: "manager" });
    const button = page.getByRole("button", { name: "Download leads" });
    const downloaded = page.waitForEvent("download");
    await button.press("Enter");
    const file = await downloaded;
    expect(file.suggestedFilename()).toBe("referrals-2026-03-04.csv");
    const [header, ...lines] = readFileSync(await file.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(header).toMatch(/^id,email,uid,/);
    const { headers } = await pages.app.v2("GET", "/referrals");
    expect(lines.length).toBe(Number(headers.get("total")));
    await page.getByText("Leads are being downloaded").waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("it says that the server can't be reached, and the next try succeeds", async () => {
    const page = await pages.open("/admin/settings/export", { width, role: "owner", isDark: true });
    const button = page.getByRole("button", { name: "Download payouts" });
    await button.waitFor();
    await page.context().setOffline(true);
    await button.click();
    await page.getByRole("alert").getByText("The server can't be reached.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.context().setOffline(false);
    const downloaded = page.waitForEvent("download");
    await button.click();
    expect((await downloaded).suggestedFilename()).toBe("payouts-2026-03-04.csv");
  });
});

it("says why the server refuses a file", async () => {
  const page = await pages.open("/admin/settings/export", { role: "manager" });
  await page.route("**/exports/payouts", (route) => {
    const json = { message: "Too much for one file", code: "operation_failed" };
    return route.fulfill({ status: 422, headers: { "x-request-id": "request-9" }, json });
  });
  await page.getByRole("button", { name: "Download payouts" }).click();
  await page.getByRole("alert").getByText("Too much for one file").waitFor();
  await page.getByRole("alert").getByText("request-9").waitFor();
});

it("a viewer is offered no files", async () => {
  const page = await pages.open("/admin/settings/export", { role: "viewer" });
  await page.getByRole("heading", { name: "You may not see this" }).waitFor();
  expect(await page.getByRole("link", { name: "Export" }).count()).toBe(0);
});
