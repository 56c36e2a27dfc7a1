import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { company } from "../../support/v2.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 2, leads: 0, sales: 0 });

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const written = async () =>
  (await company(pages.app, "GET /emails")).body as { id: number; subject: string; content: string }[];

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a manager edits the text of a built-in e-mail, sees it, and goes back to the original", async () => {
    const page = await pages.open("/admin/emails", { width, role: "manager", isDark: width < 600 });
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("link", { name: "Edit the text of New lead" }).click();
    await page.getByLabel("Subject").fill("A lead, {{vorname}}");
    await page.getByText("does not know {{vorname}}").first().waitFor();
    await button(page, "Save the e-mail").click();
    await page.locator("[name=subject][aria-invalid=true]").waitFor();
    await page.getByLabel("Subject").fill("A lead for ");
    await button(page, "first_name").click();
    // The browser lays out no frame that is out of view, so the text may be there without being visible.
    const preview = page.frameLocator("iframe");
    await preview.getByText("Someone signed up at Acme").waitFor({ state: "attached" });
    await page.getByText("A lead for Jane").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Save the e-mail").click();
    await page.getByRole("row", { name: "New lead" }).waitFor();
    expect(await written()).toMatchObject([{ subject: "A lead for {{first_name}}" }]);
    await page.getByRole("link", { name: "New lead", exact: true }).click();
    await button(page, "Back to the original").click();
    await button(page, "Go back to the original").click();
    await page.getByText("No e-mails of your own yet").waitFor();
    expect(await written()).toEqual([]);
  });
});

it("a German text begins with the German original, and the preview shows it", async () => {
  const page = await pages.open("/admin/emails/new#trigger=lead_signup", { width: 360, role: "manager" });
  await page.getByLabel("Add a language").selectOption("German");
  const subject = page.getByLabel("Subject in German");
  await subject.waitFor();
  expect(await subject.inputValue()).toBe("Sie haben einen neuen Lead");
  await subject.fill("Ein Lead für {{first_name}}");
  await page.getByLabel("Language of the preview").selectOption("German");
  await page.getByText("Ein Lead für Jane").waitFor();
  await page.getByLabel("Add a language").selectOption("Hebrew");
  await page.getByLabel("Text in Hebrew").waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove Hebrew" }).click();
  await button(page, "Save the e-mail").click();
  await page.getByRole("row", { name: "New lead" }).waitFor();
  const [saved] = await written();
  expect(saved).toMatchObject({
    subject: "You have a new lead",
    translations: [{ language: "de", subject: "Ein Lead für {{first_name}}" }],
  });
  await company(pages.app, `DELETE /emails/${saved!.id}`);
});

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a manager edits the frame of e-mails, sees it, and goes back to the original", async () => {
    const page = await pages.open("/admin/emails", { width, role: "manager" });
    await page.getByRole("link", { name: "Edit the frame" }).click();
    const preview = page.frameLocator("iframe");
    await preview.getByText("this is how e-mails to promoters look").waitFor({ state: "attached" });
    await page.getByLabel("HTML").fill("<h1>Acme</h1>");
    await page.getByText("needs {{content}} where").first().waitFor();
    await button(page, "Save the frame").click();
    await page.locator("[name=html][aria-invalid=true]").waitFor();
    await page.getByLabel("HTML").fill("<h1>Acme news</h1>{{content}}");
    await preview.getByText("Acme news").waitFor({ state: "attached" });
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Save the frame").click();
    await button(page, "Back to the original").click();
    expect(await faultsOf(page)).toEqual([]);
    await button(page, "Go back to the original").click();
    await button(page, "Back to the original").waitFor({ state: "detached" });
    expect((await company(pages.app, "GET /emails/template")).body).toMatchObject({ is_custom: false });
  });
});

it("runs no hostile HTML in the preview", async () => {
  const page = await pages.open("/admin/emails/new", { role: "manager" });
  await page.getByLabel("Subject").fill("News");
  await page
    .getByLabel("Text")
    .fill(`<p>Hello</p><script>parent.document.title="run"</script><img onerror="top.location='/run'">`);
  const frame = page.locator("iframe");
  await page.frameLocator("iframe").getByText("Hello").waitFor();
  expect([await frame.getAttribute("sandbox"), await page.title()]).toEqual([
    "allow-same-origin",
    "Write an e-mail · Tidemark",
  ]);
  const shown = (await frame.getAttribute("srcdoc")) ?? "";
  expect(shown).toContain(
    `content="default-src 'none'; style-src 'unsafe-inline'; img-src ${new URL(page.url()).origin}/uploads/"`,
  );
  expect(shown).not.toMatch(/script|onerror/);
});

it("sends a broadcast to all promoters once they are asked about", async () => {
  const body = {
    name: "News",
    subject: "News",
    content: "Hello",
    allowed_campaign_ids: [],
    trigger: { enabled: true, trigger_on: "broadcast", settings: {} },
  };
  const { body: made } = await company(pages.app, "POST /emails", body);
  const page = await pages.open(`/admin/emails/${(made as { id: number }).id}`, { role: "manager" });
  await button(page, "Send now").click();
  await page.getByRole("dialog").getByRole("button", { name: "Send News now" }).click();
  await page.getByText(/It is being sent to \d+ promoters/).waitFor();
  const { body: batches } = await company(pages.app, "GET /batch_processes");
  expect((batches as { data: { action_label: string }[] }).data ?? batches).toMatchObject([
    { action_label: "email/send", meta: { email_id: (made as { id: number }).id } },
  ]);
});
