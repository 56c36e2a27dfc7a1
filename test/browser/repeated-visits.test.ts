import { describe, expect, it } from "vitest";
import { cookieValues, countsOf, visitorIds } from "../support/browser.ts";
import { v1 } from "../support/server.ts";
import { address, newWorlds, postedTids, settled } from "../support/site.ts";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const world = newWorlds();

describe("a link that is followed more than once", () => {
  it("counts once if it is followed again before the answer arrives", async () => {
    const answer = world.front.hold("/t/click");
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await expect.poll(() => postedTids(world)).toHaveLength(1);
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await expect.poll(() => postedTids(world)).toHaveLength(2);
    answer();
    await settled(world.page);
    const [tid] = postedTids(world);
    expect(tid).toMatch(UUID_V4);
    expect(postedTids(world)).toEqual([tid, tid]);
    expect(await cookieValues(world.context)).toEqual({ _svc_tid: tid, _svc_ref: "jane" });
    await expect.poll(() => visitorIds(world.folder)).toEqual([tid]);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });

  it("counts once when it is double-clicked", async () => {
    world.site["/elsewhere"] = { html: `<a href="${address(world, "www")}/?via=jane">Jane's link</a>` };
    await world.page.goto(`${address(world, "blog", { domain: "other.test" })}/elsewhere`);
    await world.page.dblclick("a");
    await world.page.waitForURL(/via=jane/);
    await settled(world.page);
    const [tid] = postedTids(world);
    expect(new Set(postedTids(world))).toEqual(new Set([tid]));
    expect(await cookieValues(world.context)).toEqual({ _svc_tid: tid, _svc_ref: "jane" });
    await expect.poll(() => visitorIds(world.folder)).toEqual([tid]);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });

  it("counts each visitor that two tabs make at the same time, and each of them once", async () => {
    world.site["/elsewhere"] = {
      html: `<a target="_blank" rel="noopener" href="${address(world, "www")}/?via=jane">Jane's link</a>`,
    };
    const script = world.front.hold("/svc.js");
    await world.page.goto(`${address(world, "blog", { domain: "other.test" })}/elsewhere`);
    await world.page.dblclick("a");
    // Both tabs wait for one script, which the browser requests once.
    await expect
      .poll(() => world.front.requests.toSorted())
      .toEqual(["GET /?via=jane", "GET /?via=jane", "GET /elsewhere", "GET /svc.js"]);
    script();
    const tabs = () => world.context.pages().filter((tab) => tab !== world.page);
    await expect.poll(() => tabs().length).toBe(2);
    await Promise.all(tabs().map(settled));
    // A tab that has seen the cookie of the other names its visitor, who is then counted for both.
    const lone = world.front.forms.flatMap(({ tid, cookie_tid }) => (cookie_tid ? [] : [tid]));
    await expect.poll(() => visitorIds(world.folder)).toEqual(expect.arrayContaining(lone));
    const visitors = await visitorIds(world.folder);
    expect(postedTids(world)).toEqual(expect.arrayContaining(visitors));
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: visitors.length, leads: 0 });
    const { _svc_tid: tid, ...rest } = await cookieValues(world.context);
    expect(visitors).toContain(tid);
    expect(rest).toEqual({ _svc_ref: "jane" });
  });

  it("counts once if another of the customer's sites is opened before the answer arrives", async () => {
    const answer = world.front.hold("/t/click");
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await expect.poll(() => postedTids(world)).toHaveLength(1);
    const other = await world.context.newPage();
    await other.goto(`${address(world, "blog")}/?via=jane`);
    await settled(other);
    answer();
    await settled(world.page);
    const [tid] = postedTids(world);
    await expect.poll(() => visitorIds(world.folder)).toEqual([tid]);
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
    expect(await cookieValues(world.context)).toEqual({ _svc_tid: tid, _svc_ref: "jane" });
  });

  it("gives the lead to the last promoter even if an older page of the first is still open", async () => {
    await v1(world.server, "/promoters/create", { email: "bob@example.com", ref_id: "bob" });
    await world.page.goto(`${address(world, "www")}/?via=jane`);
    await settled(world.page);
    const other = await world.context.newPage();
    await other.goto(`${address(world, "www")}/?via=bob`);
    await settled(other);
    await world.page.evaluate(() => {
      (window as never as { svc: (...call: unknown[]) => void }).svc("referral", {
        email: "lead@example.com",
      });
    });
    await expect.poll(() => countsOf(world.folder, "bob")).toEqual({ clicks: 1, leads: 1 });
    expect(await countsOf(world.folder, "jane")).toEqual({ clicks: 1, leads: 0 });
  });
});
