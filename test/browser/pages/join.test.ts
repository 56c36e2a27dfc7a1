import { beforeAll, describe, expect, it } from "vitest";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { company } from "../../support/v2.ts";

const pages = newPages();

beforeAll(async () => {
  const questions = [{ label: "Where do you publish?", is_required: true, choices: ["Blog", "Video"] }];
  await company(pages.app, "PUT /campaigns/1", {
    signup: { description: "Earn 20% of each sale.", terms: "Be nice.", questions },
  });
});

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("takes someone's application and says what comes next", async () => {
    const page = await pages.open("/join/1#ref=nobody", { width });
    await page.getByRole("heading", { name: "Become a promoter of Acme" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel("First name").fill("   ");
    await page.getByLabel("E-mail").fill("jane@nowhere");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByLabel("Where do you publish?").selectOption("Blog");
    await page.getByRole("button", { name: "Join" }).click();
    const faults = ["Can't be blank.", "Needs a domain such as example.com.", "Must be accepted."];
    for (const fault of faults) await page.getByText(fault).waitFor();
    await page.getByLabel("First name").fill("Jane");
    await page.getByLabel("E-mail").fill(`jane-${width}@example.com`);
    await page.getByRole("button", { name: "Join" }).click();
    const terms = page.getByRole("checkbox", {
      name: "I accept the terms",
      description: "Must be accepted.",
    });
    await expect.poll(() => terms.evaluate((box) => box === document.activeElement)).toBe(true);
    expect(await terms.getAttribute("aria-invalid")).toBe("true");
    await terms.check();
    await page.getByRole("button", { name: "Join" }).click();
    await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it("says that an address leads nowhere", async () => {
    const page = await pages.open("/join/999", { width });
    await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});

it("shows nothing of a private campaign until its whole link is opened", async () => {
  const secret = { name: "Secret", landing_url: "https://www.acme.example/", is_private: true };
  const { body } = await company(pages.app, "POST /campaigns", secret);
  const { id, signup_url: link } = body as { id: number; signup_url: string };
  const page = await pages.open(`/join/${id}`);
  await page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  expect(await page.content()).not.toContain("Secret");
  await page.goto(link);
  await page.getByText("Secret", { exact: true }).waitFor();
});
