import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium, tidy } from "../../support/browser.ts";
import { runCli } from "../../support/cli.ts";
import { startMailServer, type MailServer } from "../../support/mail-server.ts";
import { startServer, temporaryFolder, type Server } from "../../support/server.ts";
import { PASSWORD } from "../../support/users.ts";

const { folder, remove } = temporaryFolder();
const EMAIL = "ann@acme.example";

let mail: MailServer;
let server: Server;
let browser: Browser;
/** Every address that the browsers asked for or were at. */
const addresses: string[] = [];
beforeAll(async () => {
  mail = await startMailServer();
  const environment = { SMTP_URL: mail.url, MAIL_FROM: "Tidemark <mail@tidemark.example>" };
  server = await startServer(folder, environment);
  browser = await sharedChromium();
});
afterAll(async () => {
  await tidy(browser);
  await server.stop();
  await mail.close();
  remove();
});

async function follow(link: string): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB" });
  const page = await context.newPage();
  page.on("request", (request) => void addresses.push(request.url(), request.headers()["referer"] ?? ""));
  page.on("framenavigated", (frame) => void addresses.push(frame.url()));
  await page.goto(link);
  return page;
}

/** Chooses a password, and checks that the link let its user in once and is nowhere any more. */
async function choosePassword(link: string, action: string): Promise<void> {
  const token = new URL(link).hash.slice(1);
  expect(token).toMatch(/^[\w.-]{20,}$/);
  const page = await follow(link);
  await page.getByLabel("Password").fill(PASSWORD);
  expect(await page.getByLabel("E-mail").inputValue()).toBe(EMAIL);
  expect(page.url()).toBe(`${server.url}/admin/welcome`);
  await page.getByRole("button", { name: action }).click();
  await page.getByRole("heading", { name: "Home" }).waitFor();
  expect(page.url()).toBe(`${server.url}/admin`);
  // Neither is it in the history: back leads out of the dashboard.
  await page.goBack();
  expect(page.url()).not.toContain(token);
  // The browser itself never sends a fragment, and the page took it out of the address at once.
  expect(addresses.filter((address) => address !== link && address.includes(token))).toEqual([]);

  const again = await follow(link);
  await again.getByRole("heading", { name: "This link is not valid" }).waitFor();
  await again.getByRole("link", { name: "Sign in" }).click();
  await again.getByLabel("E-mail").fill(EMAIL);
  await again.getByLabel("Password").fill(PASSWORD);
  await again.getByRole("button", { name: "Sign in" }).click();
  await again.getByRole("heading", { name: "Home" }).waitFor();
}

it("the link of `tidemark user invite` lets the invited person in, once", async () => {
  const { stdout } = await runCli(folder, ["user", "invite", EMAIL, "--role", "manager"]);
  const { link } = JSON.parse(stdout) as { link: string };
  await choosePassword(link, "Accept the invitation");
});

it("the link of a reset e-mail sets a new password, once", async () => {
  const page = await follow(`${server.url}/admin`);
  await page.getByRole("button", { name: "Forgot password?" }).click();
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByText("an e-mail with a link is on its way").waitFor();
  const isReset = () => mail.emails.find(({ headers }) => headers["subject"]?.includes("password"));
  await expect.poll(isReset).toBeDefined();
  expect(isReset()?.to).toEqual([EMAIL]);
  const [link = ""] = /http\S+\/admin\/welcome#\S+/.exec(isReset()?.text ?? "") ?? [];
  await choosePassword(link, "Save the password");
});
