import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fillRates, runOrdered } from "../../support/migrations.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { startRewardful } from "../../support/sources/rewardful.ts";
import type { StandIn } from "../../support/sources/stand-in.ts";

const pages = newPages({ promoters: 2, leads: 2, sales: 2 });
let standIn: StandIn;
let folder: string;
beforeAll(async () => {
  standIn = await startRewardful();
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
});
afterAll(async () => {
  await standIn.close();
  rmSync(folder, { recursive: true });
});

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("another program is tried out, and the report downloaded", async () => {
    await fillRates(pages.app.context.store, pages.app.account_id);
    const page = await pages.open("/admin/settings/come-over", { width, role: "owner" });
    await page.getByLabel("Key").fill(standIn.key);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText("Waiting").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await runOrdered(pages.app, { folder, baseUrl: standIn.url });
    await page.getByText("Only tried").first().waitFor();
    const button = page.getByRole("button", { name: "Download the report" }).first();
    const downloaded = page.waitForEvent("download");
    await button.click();
    const [header] = readFileSync(await (await downloaded).path(), "utf8").split("\r\n");
    expect(header).toMatch(/^promoter,promoter_id,/);
    expect(await faultsOf(page)).toEqual([]);
  });
});

it("a manager is not offered it", async () => {
  const page = await pages.open("/admin/settings/come-over", { role: "manager" });
  await page.getByRole("heading", { name: "You may not see this" }).waitFor();
  expect(await page.getByRole("link", { name: "Move here" }).count()).toBe(0);
});
