import { expect, it } from "vitest";
import { knownTexts } from "../../server/storage/drivers/lmdb/known-texts.ts";
import type { Changes } from "../../server/storage/driver.ts";

const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };
const putting = (key: string) => [{ changes: { ...NOTHING, puts: [[key, "new"]] as [string, string][] } }];

it("forgets what an own commit wrote, and nothing else", () => {
  const known = knownTexts();
  known.see("first");
  known.set("written", "old");
  known.set("other", "old");
  known.expect("second", putting("written"));
  known.see("second");
  expect(known.get("written")).toBeUndefined();
  expect(known.get("other")).toBe("old");
});

it("forgets all after somebody else's commit", () => {
  const known = knownTexts();
  known.see("first");
  known.set("any", "old");
  known.see("another's");
  expect(known.get("any")).toBeUndefined();
});

it("forgets what the commit before the last one wrote, where a reader still saw what was before it", () => {
  const known = knownTexts();
  known.see("first");
  known.expect("second", putting("written"));
  // The next commit is based on it, while readers are not yet given it.
  known.see("second");
  known.expect("third", putting("other"));
  known.see("first");
  known.set("written", "old");
  known.see("third");
  expect(known.get("written")).toBeUndefined();
});
