import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMail } from "../../../server/outgoing/mail.ts";
import { SENDER } from "../../support/app.ts";
import { startMailServer, type MailServer } from "../../support/mail-server.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";

const pages = newPages({ promoters: 3, leads: 5, sales: 5 });
let server: MailServer;
beforeAll(async () => void (server = await startMailServer()));
afterAll(() => server.close());

describe.each(WIDTHS)("at %i pixels", (width) => {
  it("a test e-mail arrives, and a refusal is shown as the mail server wrote it", async () => {
    pages.app.services.mail?.mailer.close();
    pages.app.services.mail = openMail({ smtpUrl: server.url, from: SENDER });
    const page = await pages.open("/admin/settings/mail", { width, role: "manager" });
    await page.getByText(server.url).waitFor();
    await page.getByRole("definition").filter({ hasText: SENDER }).waitFor();
    const send = page.getByRole("button", { name: "Send a test e-mail" });
    await send.press("Enter");
    await page.getByText("The mail server accepted it.").waitFor();
    expect(server.emails.at(-1)?.to).toEqual(["manager@acme.example"]);
    server.refuse(554, "email");
    expect(await page.getByText("goes to you, manager@acme.example").count()).toBe(1);
    await send.press("Enter");
    await page.getByText("554 No such email").waitFor();
    server.refuse(null);
    expect(await faultsOf(page)).toEqual([]);
  });

  it("it says what to set while mail is not set up", async () => {
    pages.app.services.mail?.mailer.close();
    pages.app.services.mail = null;
    const page = await pages.open("/admin/settings/mail", { width, role: "owner", isDark: true });
    await page.getByText("SMTP_URL=smtps://").waitFor();
    await page.getByRole("link", { name: "Default campaign" }).waitFor();
    expect(await page.getByRole("button", { name: /Send a test/ }).count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });
});

it("a viewer sees the queue, and can send no test", async () => {
  pages.app.services.mail = openMail({ smtpUrl: server.url, from: SENDER });
  const page = await pages.open("/admin/settings/mail", { role: "viewer" });
  await page.getByText("given up").waitFor();
  expect(await page.getByRole("button", { name: /Send a test/ }).count()).toBe(0);
});
