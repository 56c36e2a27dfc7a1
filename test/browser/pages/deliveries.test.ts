import { expect, it } from "vitest";
import { newPost } from "../../../server/outgoing/post.ts";
import { appOutbox, workOff } from "../../support/outbox.ts";
import { faultsOf, newPages, WIDTHS } from "../../support/pages.ts";
import { startReceiver } from "../../support/receiver.ts";

const pages = newPages();

it.each(WIDTHS)("shows what was sent and answered, and sends it again, at %i pixels", async (width) => {
  const receiver = await startReceiver();
  receiver.answer((response) => response.writeHead(500).end("not <b>today</b>"));
  pages.app.services.post = newPost({ allowsPrivate: true });
  const description = `Receiver ${width}`;
  const { status } = await pages.app.v2("POST", "/webhooks", {
    url: receiver.url,
    description,
    event_types: ["promoter.created"],
  });
  expect(status).toBe(201);
  await pages.app.v2("POST", "/promoters", { email: `hooked${width}@example.com` });
  const outbox = appOutbox(pages.app);
  await workOff(outbox);

  const page = await pages.open("/admin/settings/webhooks", { width, role: "manager" });
  const card = page.getByRole("listitem").filter({ hasText: description });
  await card.getByRole("button", { name: "Deliveries" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Deliveries" });
  await dialog.locator("summary").press("Enter");
  await dialog.getByText("answered 500").waitFor();
  const body = await dialog.getByRole("region", { name: "Body" }).textContent();
  expect(JSON.parse(body ?? "")).toEqual(receiver.received[0]?.body);
  await dialog.getByRole("region", { name: "Answer" }).getByText("not <b>today</b>").waitFor();
  expect(await faultsOf(page)).toEqual([]);

  receiver.answer((response) => response.end("thanks"));
  await dialog.getByRole("button", { name: "Send again now" }).press("Enter");
  await expect.poll(() => workOff(outbox)).toBeGreaterThan(0);
  await page.clock.runFor(5_000);
  await dialog.getByText("Delivered").waitFor();
  expect(receiver.received.length).toBe(2);

  await dialog.getByRole("button", { name: "Close" }).press("Enter");
  // The page behind takes no key until the dialog is gone, and its focus comes back afterwards.
  await dialog.waitFor({ state: "hidden" });
  await card.getByRole("button", { name: "Send a test event" }).click();
  await page.getByText("A test event is on its way").waitFor();
  await expect.poll(() => workOff(outbox)).toBeGreaterThan(0);
  await page.clock.runFor(5_000);
  await expect.poll(() => dialog.getByText("Delivered").count()).toBe(2);
  expect(receiver.received[2]?.body).toMatchObject({ event_type: "promoter.created", data: { test: true } });
  expect(await faultsOf(page)).toEqual([]);
  await receiver.close();
});
