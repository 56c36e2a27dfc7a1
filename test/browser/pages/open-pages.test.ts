import { expect, it } from "vitest";
import { faultsOf, newPages } from "../../support/pages.ts";

const pages = newPages();

it.each([360, 768, 1280])("the demo page is without a fault at %i pixels", async (width) => {
  const page = await pages.open("/demo", { width });
  await page.getByRole("heading", { name: "A product worth recommending" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it("the demo page says why a program's sign-up is not recorded", async () => {
  await pages.app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  const page = await pages.open("/demo?via=jane");
  await page.getByRole("textbox", { name: "E-mail" }).fill("bot@example.com");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText(/^Nothing was recorded/).waitFor();
});
