import { describe, expect, it } from "vitest";
import { PAYMENT_STATES, type PaymentState } from "../../server/domain/ledger/payment/payment.ts";
import { judge, mayRepeat, nextAskAt, type Answer } from "../../server/domain/ledger/payment/report.ts";
import { newSeal } from "../../server/seal.ts";
import { minorOf } from "../../server/payments/wire.ts";

/** What each state says to "asked unclaimed confirmed failed partly_returned returned": new, old or a contradiction. */
const JUDGED: Record<PaymentState, string> = {
  intent: "new new new new new new",
  asked: "old new new new new new",
  unclaimed: "old old new new new new",
  confirmed: "old old old contradiction new new",
  failed: "old old contradiction old contradiction old",
  partly_returned: "old old old contradiction old new",
  returned: "old old old old old old",
};

describe("a payment", () => {
  it.each(PAYMENT_STATES)("that is %s takes newer news only", (state) => {
    const said = PAYMENT_STATES.slice(1).map((each) => judge({ state }, each));
    expect(said.join(" ")).toBe(JUDGED[state]);
  });

  it("that a person decided takes the provider's word instead", () => {
    const judged = (state: PaymentState) =>
      PAYMENT_STATES.slice(1)
        .map((each) => judge({ state, decided_by: "ada" }, each))
        .join(" ");
    expect(judged("confirmed")).toBe("old old old new new new");
    expect(judged("failed")).toBe("new new new old new new");
  });
});

describe("an order is sent again", () => {
  const order = {
    attempts: 1,
    is_settled: false,
    silent_since: null,
    asked_account: "acme",
    created_at: "2026-03-01T00:00:00.000Z",
  };
  const asked = (at: string) => ({ ...order, first_asked_at: at, last_asked_at: at });
  const at = "2026-03-01T00:00:00.000Z";
  const DAY_MS = 24 * 60 * 60 * 1_000;

  it.each<[Answer["kind"], string, boolean]>([
    ["unaskable", "2026-03-01T00:01:00.000Z", true],
    ["absent", "2026-03-01T00:01:00.000Z", true],
    ["unknown", "2026-03-01T00:01:00.000Z", false],
    ["taken", "2026-03-01T00:01:00.000Z", false],
    // The provider has forgotten our name by now, and would pay again.
    ["unaskable", "2026-03-02T00:00:00.000Z", false],
    ["absent", "2026-03-02T00:00:00.000Z", true],
  ])("after %s at %s: %s", (kind, now, isRepeated) => {
    const given = { account: "acme", refusesRepetitionsMs: DAY_MS, now: new Date(now) };
    expect(mayRepeat(asked(at), kind, given)).toBe(isRepeated);
    expect(mayRepeat({ ...asked(at), is_settled: true }, kind, given)).toBe(false);
    expect(mayRepeat(asked(at), kind, { ...given, account: "other" })).toBe(false);
  });

  it("not while the last request may still be under way, once repetitions are no longer refused", () => {
    const late = { ...order, first_asked_at: at, last_asked_at: "2026-03-02T00:00:00.000Z" };
    const now = new Date("2026-03-02T00:30:00.000Z");
    expect(mayRepeat(late, "absent", { account: "acme", refusesRepetitionsMs: DAY_MS, now })).toBe(false);
  });

  it.each<[number, PaymentState[], boolean, string | null]>([
    [1, ["asked"], false, "2026-03-01T00:03:00.000Z"],
    [4, ["asked"], false, "2026-03-01T00:10:00.000Z"],
    [1, ["asked"], true, "2026-03-01T00:07:00.000Z"],
    [1, ["unclaimed", "confirmed"], true, "2026-03-01T06:02:00.000Z"],
    [1, ["confirmed"], true, "2026-03-02T00:02:00.000Z"],
    [1, ["failed", "returned"], true, null],
  ])("or asked about, after %i attempts, with %j, settled %s, at %s", (attempts, states, isSettled, next) => {
    const now = new Date("2026-03-01T00:02:00.000Z");
    expect(nextAskAt({ ...asked(at), attempts, is_settled: isSettled }, states, now)).toBe(next);
  });
});

describe("a seal", () => {
  const [one, other] = [Buffer.alloc(32, "a"), Buffer.alloc(32, "b")];

  it("opens what it closed, in the same place, and after a rotation", () => {
    const sealed = newSeal([one]).close("secret", "1 paypal");
    expect(sealed).not.toContain("secret");
    const rotated = newSeal([other, one]);
    expect(rotated.open(sealed, "1 paypal")).toBe("secret");
    expect([newSeal([one]).isCurrent(sealed), rotated.isCurrent(sealed)]).toEqual([true, false]);
  });

  it.each([
    ["another place", [one], "2 paypal", /^No key in TIDEMARK_SECRET_FILE opens/],
    ["another key", [other], "1 paypal", /^No key in TIDEMARK_SECRET_FILE opens/],
    ["no key", [], "1 paypal", /^TIDEMARK_SECRET_FILE is not set/],
  ])("does not open with %s", (_, keys, place, message) => {
    const sealed = newSeal([one]).close("secret", "1 paypal");
    expect(() => newSeal(keys).open(sealed, place)).toThrow(message);
  });

  it("does not open what was changed", () => {
    const sealed = newSeal([one]).close("secret", "1 paypal");
    // The last character may hold bits that are not read.
    const changed = sealed.slice(0, -2) + (sealed.at(-2) === "A" ? "B" : "A") + sealed.at(-1);
    expect(() => newSeal([one]).open(changed, "1 paypal")).toThrow(/opens this secret/);
  });
});

it.each([
  ["12.50", "USD", 1_250],
  ["12.5", "USD", 1_250],
  ["12", "JPY", 12],
  ["12.00", "JPY", 12],
  ["12.345", "KWD", 12_345],
  ["12.345", "USD", null],
  ["-1.00", "USD", null],
  ["1e3", "USD", null],
])("reads %s %s as %j in minor units", (text, currency, minor) => {
  expect(minorOf(text, currency)).toBe(minor);
});
