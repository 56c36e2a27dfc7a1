import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STORAGES, startApp, type TestApp } from "../../support/app.ts";
import {
  columnsMarked,
  columnsWith,
  fillPersonal,
  LEAD,
  linesAbout,
  PROMOTER,
} from "../../support/marked-world.ts";
import { eraseLead, erasePromoter } from "../../support/operations.ts";

describe.each(STORAGES)("on %s", (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
    await fillPersonal(app);
  });
  afterEach(() => app.close());

  it("each personal column of each table says something of the promoter or the lead", async () => {
    const said = new Set([...(await columnsWith(app, PROMOTER)), ...(await columnsWith(app, LEAD))]);
    expect([...said].toSorted()).toEqual(columnsMarked("isPersonal").toSorted());
  });

  it.each([
    ["a promoter before the lead", ["promoter", "lead"]],
    ["a lead before the promoter", ["lead", "promoter"]],
  ])("an erasure of %s leaves nothing of them in any table, queue or log", async (_, people) => {
    for (const person of people) {
      if (person === "promoter") await erasePromoter(app, "1");
      else await eraseLead(app, "1");
      expect(await linesAbout(app, person === "promoter" ? PROMOTER : LEAD)).toEqual([]);
    }
    expect(app.bugs).toEqual([]);
  });
});
