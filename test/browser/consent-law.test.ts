import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { visitorIds } from "../support/browser.ts";
import { ENGINES, type Tab } from "../support/engines.ts";
import { rounds } from "../support/rounds.ts";
import { v1 } from "../support/server.ts";
import { address, newSites, tag } from "../support/site.ts";

const SECOND_FILE = `/${/svc-more\.[\da-f]+\.js/.exec(readFileSync("dist/svc.js", "utf8"))![0]}`;
const PATHS = ["/t/click", "/t/signup", "/t/withdraw", SECOND_FILE];

/** A second tab is a frame of the same site: it has its own script, and shares cookies, storage and channel. */
type Step =
  | { do: "open"; query: string }
  | { do: "openTab"; query: string }
  | { do: "route"; query: string }
  | { do: "consent"; answers: boolean[]; inTab: boolean }
  | { do: "signUp"; inTab: boolean }
  | { do: "break" | "hold" | "mend"; path: string }
  | { do: "wait" };

const query = fc.constantFrom("", "?via=jane", "?via=bob");
const path = fc.constantFrom(...PATHS);
const inTab = fc.boolean();
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("open", "openTab", "route"), query }) as fc.Arbitrary<Step>,
  fc.record({
    do: fc.constant("consent"),
    answers: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
    inTab,
  }) as fc.Arbitrary<Step>,
  fc.record({
    do: fc.constant("consent"),
    answers: fc.constant<boolean[]>([true]),
    inTab,
  }) as fc.Arbitrary<Step>,
  fc.record({ do: fc.constant("signUp"), inTab }) as fc.Arbitrary<Step>,
  fc.record({ do: fc.constantFrom("break", "mend"), path }) as fc.Arbitrary<Step>,
  // A page whose second file is on its way may not finish loading, and the test would wait for it.
  fc.record({
    do: fc.constant("hold"),
    path: fc.constantFrom("/t/click", "/t/signup", "/t/withdraw"),
  }) as fc.Arbitrary<Step>,
  fc.record({ do: fc.constant("wait") }) as fc.Arbitrary<Step>,
);

/** The page knows only the visitor of the last link. */
const TWO_LINKS: Step[] = [
  { do: "consent", answers: [true], inTab: false },
  { do: "route", query: "?via=bob" },
  { do: "wait" },
  { do: "route", query: "?via=jane" },
  { do: "wait" },
];

/** What the page knows of a visitor, apart from withdrawals that the server has not heard. */
const LEFT = `[document.cookie, ...Object.values(sessionStorage),
  ...Object.values(localStorage).flatMap((text) => JSON.parse(text)).filter(({ path }) => path !== "withdraw")]`;

const world = newSites();

beforeEach(() => v1(world.server, "/promoters/create", { email: "bob@example.com", ref_id: "bob" }));

describe.each(ENGINES)("$name", ({ open }) => {
  let tab: Tab;
  beforeEach(async () => {
    tab = await open(world.front.port);
  });
  afterEach(async () => {
    await tab.close();
  });

  const goto = (given: string) => tab.goto(`${address(world, "www")}/${given}`);

  it("keeps nothing of a visitor who has refused, in every order, tab and fault", async () => {
    const run = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const releases: (() => void)[] = [];
      world.site["/"] = {
        html: tag(world, { attributes: 'data-consent="required"' }),
      };
      await goto("");
      // A request of the round before may have arrived late. Its withdrawal is still repeated.
      await expect.poll(() => visitorIds(world.folder)).toEqual([]);
      const call = (isTab: boolean, calls: string) =>
        tab.run(`(() => { const { svc } = (${isTab} && frames[0]) || window; ${calls} })()`);
      // Another tab needs a moment to hear of it.
      const refused = () => expect.poll(() => tab.run(LEFT)).toEqual([""]);
      const take = async (given: Step) => {
        if (given.do === "open") await goto(given.query);
        if (given.do === "openTab")
          await tab.run(`new Promise((resolve) => {
            const frame = document.createElement("iframe");
            Object.assign(frame, { src: "/${given.query}", onload: resolve });
            document.body.append(frame);
          })`);
        if (given.do === "route") await tab.run(`history.pushState({}, "", "/${given.query}")`);
        if (given.do === "signUp") await call(given.inTab, `svc("signup", { email: "lead@example.com" });`);
        if (given.do === "break") world.site[given.path] = { html: "" };
        if (given.do === "hold") releases.push(world.front.hold(given.path));
        if (given.do === "mend") delete world.site[given.path];
        if (given.do === "wait") await tab.run("new Promise((resolve) => setTimeout(resolve, 300))");
        if (given.do !== "consent") return;
        await call(given.inTab, given.answers.map((answer) => `svc("consent", ${answer});`).join(""));
        if (!given.inTab && given.answers.at(-1) === false) await refused();
      };
      for (const each of steps) await take(each);
      await call(false, `svc("consent", false);`);
      await refused();
      // From now on the server can be told.
      for (const each of PATHS) delete world.site[each];
      for (const release of releases) release();
      await goto("");
      await expect.poll(() => visitorIds(world.folder)).toEqual([]);
      await expect.poll(() => tab.run("[document.cookie, localStorage.length]")).toEqual(["", 0]);
    });
    await fc.assert(run, { numRuns: rounds(3, 12), endOnFailure: true, examples: [[TWO_LINKS]] });
  });
});
