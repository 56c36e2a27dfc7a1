import { expect, it } from "vitest";
import { newWorlds } from "../support/site.ts";

const world = newWorlds();

it("shows the interface at /docs, under its own policy, without asking any other host", async () => {
  const errors: string[] = [];
  const hosts = new Set<string>();
  world.page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  world.page.on("pageerror", (error) => void errors.push(error.message));
  world.page.on("request", (request) => void hosts.add(new URL(request.url()).host));
  await world.page.goto(`http://127.0.0.1:${world.server.port}/docs`);
  // A busy machine renders the list for many seconds.
  await world.page.getByText("List payouts by promoter").first().waitFor({ timeout: 50_000 });
  await world.page.getByText("Record a sign-up").first().waitFor();
  expect([...hosts]).toEqual([`127.0.0.1:${world.server.port}`]);
  expect(errors).toEqual([]);
});
