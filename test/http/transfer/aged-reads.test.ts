import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AgedReads, type Engine, newStore, memoryEngine } from "../../support/memory-engine.ts";
import { KEY, answerOf, startApp, type TestApp } from "../../support/app.ts";
import { visitingPromoter, type PortalBrowser } from "../../support/portal.ts";

const RANGE = "period_from=2026-03-04&period_to=2026-03-04&selection=referrals";
const REPORT = "columns[]=referrals_count&group_by=day&start_date=2026-03-04&end_date=2026-03-04";

describe("figures of a store with a standby that has everything but the last sign-up", () => {
  let app: TestApp;
  let jane: PortalBrowser;
  /** What the standby gives. null: it is away, or too old. */
  let standby: AgedReads | null;
  /** An engine without any record. */
  let empty: Engine;
  let end: () => Promise<void>;
  beforeEach(async () => {
    const primary = await memoryEngine();
    empty = await memoryEngine();
    app = await startApp("memory", { store: newStore({ ...primary, aged: async () => standby }) });
    standby = null;
    jane = await visitingPromoter(app, "jane@example.com", { ref_id: "jane" });
    await signUp("first");
    const former = await primary.snapshot();
    standby = { reads: former, ageSeconds: 7 };
    await signUp("second");
    end = async () => {
      await former.close();
      await Promise.all([app.close(), empty.close()]);
    };
  });
  afterEach(() => end());

  const signUp = (uid: string) => app.v1("/track/signup", { uid, ref_id: "jane" });

  /** The number of sign-ups that an answer shows, and the age that it tells. */
  const shown = async (answer: Promise<{ status: number; body: unknown; headers: Headers }>) => {
    const { status, body, headers } = await answer;
    expect(status).toBe(200);
    const digits = /referrals_count":(\d)|2026-03-04(?:T[\d:.]+Z)?",(\d)|^2026-03-04,(\d)/m;
    const found = digits.exec(typeof body === "string" ? body : JSON.stringify(body));
    return [found?.slice(1).find((digit) => digit !== undefined), headers.get("x-data-age")];
  };

  const figures = [
    ["V1's reports", () => v1(`/reports/overview?${REPORT}`)],
    ["V2's reports", () => app.v2("GET", `/reports/overview?${REPORT}`)],
    ["V2's files", () => app.v2("GET", `/reports/download?report_type=overview&${REPORT}`)],
    ["V2's charts", () => app.v2("GET", `/promoters/1/chart_data?${RANGE}`)],
    ["the portal's reports", () => jane.call(`GET /reports/overview?${REPORT}`)],
    ["the portal's charts", () => jane.call(`GET /promoters/chart_data?${RANGE}`)],
  ] as const;

  const v1 = async (path: string) =>
    answerOf(await app.request(`/api/v1${path}`, { headers: { "x-api-key": KEY } }));

  it.each(figures)("are the standby's in %s, which tell how old they may be", async (_, call) => {
    expect(await shown(call())).toEqual(["1", "7"]);
  });

  it.each(figures)("are the primary's in %s while the standby is away", async (_, call) => {
    standby = null;
    expect(await shown(call())).toEqual(["2", "0"]);
  });

  it.each(figures)("are the primary's in %s if the standby dies meanwhile", async (_, call) => {
    const gone = () => Promise.reject(new Error("gone"));
    standby = {
      reads: { ...empty.reads, get: gone, find: gone, all: gone, total: gone, ask: gone },
      ageSeconds: 7,
    };
    expect(await shown(call())).toEqual(["2", "0"]);
  });

  it("are the primary's if the standby knows less about what is asked for", async () => {
    standby = { reads: empty.reads, ageSeconds: 7 };
    expect(await shown(app.v2("GET", `/promoters/1/chart_data?${RANGE}`))).toEqual(["2", "0"]);
    const { status, headers } = await app.v2("GET", `/promoters/99/chart_data?${RANGE}`);
    expect([status, headers.get("x-data-age")]).toEqual([404, "0"]);
  });

  it("have no age anywhere else, because nothing else is read from a standby", async () => {
    const { body, headers } = await app.v2("GET", "/referrals");
    expect([(body as unknown[]).length, headers.get("x-data-age")]).toEqual([2, null]);
  });
});
