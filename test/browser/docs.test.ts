import { expect, it } from "vitest";
import { newWorlds } from "../support/site.ts";

const world = newWorlds();

it("lists the operations at /docs, and shows each in a viewer, without asking any other host", async () => {
  const errors: string[] = [];
  const hosts = new Set<string>();
  world.page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  world.page.on("pageerror", (error) => void errors.push(error.message));
  world.page.on("request", (request) => void hosts.add(new URL(request.url()).host));
  await world.page.goto(`http://127.0.0.1:${world.server.port}/docs`);
  const viewer = world.page.locator("rapi-doc");
  await world.page.getByRole("link", { name: "Record a sign-up" }).first().waitFor();
  expect(await viewer.count()).toBe(0);
  await world.page.getByRole("link", { name: "List payouts by promoter" }).click();
  await viewer.getByRole("heading", { name: "List payouts by promoter" }).waitFor();
  expect(await world.page.locator("body > main").isVisible()).toBe(false);
  await world.page.getByRole("link", { name: "All operations" }).click();
  await world.page.getByRole("link", { name: "Record a sign-up" }).first().click();
  await viewer.getByRole("heading", { name: "Record a sign-up" }).waitFor();
  await world.page.reload();
  await viewer.getByRole("heading", { name: "Record a sign-up" }).waitFor();
  expect([...hosts]).toEqual([`127.0.0.1:${world.server.port}`]);
  expect(errors).toEqual([]);
});
