import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 3, leads: 6, sales: 6 });

const FILE = [
  "E-Mail;Vorname;Code;Joined",
  "ana@example.org;Ana;ana1;13/05/2024",
  "ben@example.org;Ben;ben1;14/05/2024",
  "no address;Cy;cy1;15/05/2024",
].join("\n");

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a file is understood, corrected, tried and imported", async () => {
    const page = await pages.open("/admin/settings/import", { width, role: "manager", isDark: width < 600 });
    const of = (name: string) => page.getByLabel(`What ${name} is`);
    expect(await faultsOf(page)).toEqual([]);
    const buffer = Buffer.from(
      FILE.replaceAll("example.org", `${width}.example`).replaceAll(/(\w\w\w?1);/g, `$1-${width};`),
    );
    await page.getByLabel("The file").setInputFiles({ name: "promoters.csv", mimeType: "text/csv", buffer });
    await page.getByRole("heading", { name: "What would happen" }).waitFor();
    expect(await of("E-Mail").inputValue()).toBe("email");
    expect(await of("Joined").inputValue()).toBe("created_at");
    expect(await of("Code").inputValue()).toBe("");
    await of("Vorname").selectOption("first_name");
    await of("Code").selectOption("ref_id");
    await page.getByText("2024-05-13T00:00:00.000Z").waitFor();
    await page.getByText("Line 4: email is invalid").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const before = (await pages.app.records.all("promoter")).length;
    await page.getByRole("button", { name: "Import 2 lines" }).click();
    await page.getByRole("heading", { name: "Imported", exact: true }).waitFor();
    expect((await pages.app.records.all("promoter")).length).toBe(before + 2);
    const downloaded = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the bad lines" }).click();
    const saved = await downloaded;
    expect(saved.suggestedFilename()).toBe("faults-of-promoters.csv");
    expect(readFileSync(await saved.path(), "utf8")).toBe('line,fault\r\n4,"email is invalid"\r\n');
    expect(await faultsOf(page)).toEqual([]);
  });
});

it("asks what unknown words of states mean, and imports then", async () => {
  const page = await pages.open("/admin/settings/import", { role: "owner" });
  const { email } = (await pages.app.records.all("promoter"))[0]!;
  const buffer = Buffer.from(`promoter_email,amount,status\n${email},1.00,Ausgezahlt\n${email},2.00,Paid\n`);
  await page.getByLabel("The file").setInputFiles({ name: "commissions.csv", mimeType: "text/csv", buffer });
  await page.getByRole("alert").getByText('"Ausgezahlt".').waitFor();
  const of = (word: string) => page.getByLabel(`What the status ${word} means`);
  expect([await of("Ausgezahlt").inputValue(), await of("Paid").inputValue()]).toEqual(["", "paid"]);
  expect(await faultsOf(page)).toEqual([]);
  await of("Ausgezahlt").selectOption("paid");
  await page.getByRole("button", { name: "Import 2 lines" }).click();
  await page.getByRole("heading", { name: "Imported", exact: true }).waitFor();
  const made = await pages.app.records.all("commission");
  expect(made.filter((each) => each.is_paid_elsewhere).map(({ amount }) => amount)).toEqual([100, 200]);
});

it("says in a sentence why a file can't be read, and what is missing", async () => {
  const page = await pages.open("/admin/settings/import", { role: "owner" });
  const file = page.getByLabel("The file");
  await file.setInputFiles({
    name: "sheet.xlsx",
    mimeType: "text/csv",
    buffer: Buffer.from("PK\u0003\u0004"),
  });
  await page.getByRole("alert").getByText("save the sheet as CSV").waitFor();
  const buffer = Buffer.from("ref_id,when\njane,1\n");
  await file.setInputFiles({ name: "commissions.csv", mimeType: "text/csv", buffer });
  await page.getByRole("alert").getByText("No column is called amount.").waitFor();
  expect(await page.getByLabel("What is in it").inputValue()).toBe("commissions");
  expect(await page.getByRole("button", { name: "Import", exact: true }).getAttribute("aria-disabled")).toBe(
    "true",
  );
});

it("a viewer can import nothing", async () => {
  const page = await pages.open("/admin/settings/import", { role: "viewer" });
  await page.getByRole("heading", { name: "You may not see this" }).waitFor();
});
