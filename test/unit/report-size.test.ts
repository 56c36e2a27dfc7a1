import { expect, it } from "vitest";
import { planOf, refuseTooLarge, STREAMED_BYTES } from "../../server/domain/reports/report.ts";

it("a report that is written group by group is refused beyond 40 MB", () => {
  const range = { from: "2024-01-01", to: "2024-12-31" };
  const figures = Array.from({ length: 18 }, () => "clicks" as const);
  const plan = planOf({ range, groupBy: "day", figures, mostBytes: STREAMED_BYTES });
  expect(() => refuseTooLarge(plan, 143)).not.toThrow();
  expect(() => refuseTooLarge(plan, 144)).toThrow(
    "The report would have about 40.2 MB, more than 40.0 MB; ask for fewer fields, longer periods or a smaller per_page",
  );
});
