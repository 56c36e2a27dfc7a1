import { expect, it } from "vitest";
import { faultsOf, newPages } from "../../support/pages.ts";

const pages = newPages();
/** The viewer, which is used unedited, has two lists of links without names. */
const OF_VIEWER = /^landmark-unique: <nav part="section-navbar"/;

it.each([360, 768, 1280])("the demo page and the API's are without a fault at %i pixels", async (width) => {
  const demo = await pages.open("/demo", { width });
  await demo.getByRole("heading", { name: "A product worth recommending" }).waitFor();
  expect(await faultsOf(demo)).toEqual([]);
  const docs = await pages.open("/docs", { width });
  await docs.getByText("listPromoters").or(docs.getByText("List promoters")).first().waitFor();
  expect((await faultsOf(docs)).filter((fault) => !OF_VIEWER.test(fault))).toEqual([]);
});

it("the demo page says why a program's sign-up is not recorded", async () => {
  await pages.app.v1("/promoters/create", { email: "jane@example.com", ref_id: "jane" });
  const page = await pages.open("/demo?via=jane");
  await page.getByRole("textbox", { name: "E-mail" }).fill("bot@example.com");
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByText(/^Nothing was recorded/).waitFor();
});
