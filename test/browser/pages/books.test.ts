import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 8, leads: 30, sales: 40 });

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("the books of some days are shown, and downloaded", async () => {
    const page = await pages.open("/admin/payouts#tab=books&from=2000-01-01", { width, role: "manager" });
    const sum = page.getByRole("row", { name: "All promoters" });
    await sum.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download balances" }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^books-balances-2000-01-01-\d{4}-\d\d-\d\d\.csv$/);
    expect((await readFile(await file.path(), "utf8")).split("\r\n").at(-2)).toMatch(/,total,/);
    await page.getByLabel("To", { exact: true }).fill("2000-01-31");
    await page.getByText("Nothing was owed", { exact: true }).waitFor();
  });

  it("the company's bank account is judged by its check digits", async () => {
    const page = await pages.open("/admin/settings/bank-account", { width, role: "owner" });
    await page.getByLabel("IBAN").fill("NL91ABNA0417164301");
    await page.getByRole("button", { name: "Save the bank account" }).click();
    await page.getByText("Is not a valid IBAN.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("IBAN").fill("NL91 ABNA 0417 1643 00");
    await page.getByRole("button", { name: "Save the bank account" }).click();
    await page.getByText("The bank account was saved").waitFor();
    await expect.poll(() => page.getByLabel("IBAN").inputValue()).toBe("NL91ABNA0417164300");
  });

  it("a promoter's bank account has the fields of its country", async () => {
    const page = await pages.open("/admin/promoters/1", { width, role: "owner" });
    await page.getByRole("button", { name: "Add a bank account" }).click();
    await page.getByLabel("Account holder").fill("Jane Doe");
    await page.getByLabel("Country of the bank").selectOption("IN");
    await page.getByLabel("Account number").fill("123456789");
    await page.getByLabel("IFSC code").fill("HDFC1");
    await page.getByRole("button", { name: "Add the bank account" }).click();
    await page.getByText("Must be like HDFC0001234.").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("IFSC code").fill("HDFC0001234");
    await page.getByRole("button", { name: "Add the bank account" }).click();
    await page.getByText("The promoter is paid to this account from now on").waitFor();
    await page.getByText("HDFC0001234").first().waitFor();
  });
});
