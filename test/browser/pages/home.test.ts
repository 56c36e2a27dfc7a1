import { beforeAll, describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { PASSWORD } from "../../support/users.ts";

const HOSTILE = `<img src=x onerror=alert(1)>‮${"🌊".repeat(150)}`;

describe("the start page of a running program", () => {
  const pages = newPages({ promoters: 20, leads: 200, sales: 400 });
  beforeAll(async () => {
    const { app } = pages;
    await app.v1("/promoters/create", { email: "h@example.com", first_name: HOSTILE, ref_id: "hostile" });
    await app.v1("/track/signup", { email: "last@example.net", ref_id: "hostile" });
    const { body } = await app.v2("GET", "/referrals?filters[fraud_check]=same_ip_suspicion");
    await app.v2("POST", "/referrals/disable", { ids: [(body as { id: number }[])[0]!.id] });
  });

  it("asks to pay only those who wait for money", async () => {
    const { body } = await pages.app.v2(
      "GET",
      "/payouts/group_by_promoters?filters[status]=pending&per_page=100",
    );
    const { data } = body as { data: { total_incl_tax: number }[] };
    const waiting = data.filter(({ total_incl_tax: cents }) => cents > 0).length;
    expect(waiting).toBeLessThan(data.length);
    const page = await pages.open("/admin", { role: "viewer" });
    await page.getByRole("link", { name: `${waiting} promoters to pay` }).waitFor();
    const sums = page.getByText(/^Owed is what is approved and not paid: .* can be paid now/);
    await sums.getByRole("link", { name: "goes into later payouts" }).waitFor();
  });

  it.each(WIDTHS)("shows figures, tasks and rankings at %i pixels", async (width) => {
    const page = await pages.open("/admin", { role: "viewer", width });
    await page.getByRole("heading", { name: "Best promoters" }).waitFor();
    await page.getByText("last@example.net").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    // The name is shown as it is, so it makes no element.
    expect(await page.locator("img").count()).toBe(0);

    await page.getByRole("button", { name: /^Revenue/ }).click();
    await page.getByRole("button", { name: "90 days" }).click();
    await page.getByRole("img", { name: /^Revenue: .* from 5 Dec 2025 – 4 Mar 2026/ }).waitFor();
    await page.waitForURL("**#range=90&show=revenue_amount");
    await page.reload();
    await page.getByRole("img", { name: /^Revenue: .* from 5 Dec 2025/ }).waitFor();

    await page.getByRole("button", { name: "Custom", exact: true }).click();
    await page.getByLabel("From", { exact: true }).fill("2026-02-01");
    await page.getByRole("img", { name: /from 1 Feb 2026 – 4 Mar 2026/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const task = page.getByRole("link", { name: /suspicious lead/ });
    const [count] = /\d+/.exec(await task.innerText())!;
    await task.click();
    await page.waitForURL(`${pages.url}/admin/leads#state=not_denied&suspicion=any`);
    await page.getByText(`1 to ${count} of ${count}`).waitFor();
    await page.goBack();
    await page.getByRole("img", { name: /from 1 Feb 2026/ }).waitFor();
  });

  it("asks to sign in again when the session has ended, and goes on", async () => {
    const page = await pages.open("/admin", { role: "viewer" });
    await page.getByText("last@example.net").waitFor();
    await page.context().clearCookies();
    await page.getByRole("button", { name: "7 days" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(await dialog.getByLabel("E-mail").inputValue()).toBe("viewer@acme.example");
    await dialog.getByLabel("Password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("img", { name: /^Clicks: .* from 26 Feb 2026/ }).waitFor();
    await dialog.waitFor({ state: "detached" });
  });

  it("says why figures could not be loaded again, and loads them when the reader tries again", async () => {
    const page = await pages.open("/admin", { role: "viewer" });
    await page.getByText("last@example.net").waitFor();
    const home = "**/api/v2/company/home?**";
    const json = { message: "Too many requests", code: "rate_limited" };
    const headers = { "x-request-id": "request-7" };
    await page.route(home, (route) => route.fulfill({ status: 429, headers, json }));
    await page.getByRole("button", { name: "7 days" }).click();
    const notice = page.getByRole("alert");
    await notice.getByText("Too many requests").waitFor();
    await notice.getByText("request-7").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.unroute(home);
    await notice.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("img", { name: /^Clicks: .* from 26 Feb 2026/ }).waitFor();
    await notice.waitFor({ state: "detached" });
  });

  it("says that it is offline, and loads when the reader tries again", async () => {
    const page = await pages.open("/admin", { role: "viewer" });
    await page.getByText("last@example.net").waitFor();
    // An answer that is still on its way counts as being online again.
    await expect
      .poll(async () => {
        await page.context().setOffline(false);
        await page.context().setOffline(true);
        return page.getByText("You are offline").isVisible();
      })
      .toBe(true);
    await page.context().setOffline(false);
    await page.getByText("You are offline").waitFor({ state: "detached" });
  });
});

describe("the start page of an empty program", () => {
  const pages = newPages();

  it.each(WIDTHS)("shows how to begin at %i pixels", async (width) => {
    const page = await pages.open("/admin", { role: "owner", width });
    await page.getByText('data-cid="acme"').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("ticks a step off while it is open", async () => {
    const page = await pages.open("/admin", { role: "owner" });
    await page.getByText("2 of 10 done").waitFor();
    await pages.app.v1("/promoters/create", { email: "jane@example.com" });
    await page.getByText("3 of 10 done").waitFor();
  });
});
