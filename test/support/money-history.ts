import fc from "fast-check";
import {
  COMMISSION_STATUSES,
  type CommissionStatus,
} from "../../server/domain/ledger/commission/commission.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  type PromoterCampaignState,
} from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import type { Death } from "./mortal-engine.ts";

/** The leads of the program, by their e-mail addresses. */
export const LEADS = ["a@example.com", "b@example.com", "c@example.com"];
/** The promoters of the program, by their ref ids. */
export const PROMOTERS = ["jane", "bob", "zoe", "lee"];

const BATCHES = ["mark_as_paid", "mark_as_unpaid", "cancel", "destroy"] as const;

/** What a refund asks back of a sale. `more` is more than is left. */
const PARTS = ["a cent", "a third", "the rest", "more"] as const;

/** Something that happens to the money of a program. */
export type Step =
  | {
      kind: "sale";
      lead: number;
      key: number;
      amount: number;
      /** null: the account's. */
      currency: "EUR" | "KRW" | null;
      instalments: boolean;
    }
  | { kind: "refund"; key: number; sale: number; part: (typeof PARTS)[number]; isNamed: boolean }
  | { kind: "cancellation"; lead: number; key: number | null }
  | { kind: "status"; commission: number; status: CommissionStatus }
  | { kind: "move"; lead: number; promoter: number; leaves: boolean }
  | { kind: "splits"; lead: number; splits: [promoter: number, percentage: number][] }
  | { kind: "state"; promoter: number; state: PromoterCampaignState }
  | { kind: "bonus"; promoter: number; amount: number }
  | { kind: "hold"; days: number }
  | { kind: "payouts"; action: (typeof BATCHES)[number]; payout: number }
  | { kind: "by hand"; commission: number }
  | { kind: "month" };

const lead = fc.nat(LEADS.length - 1);
const promoter = fc.nat(PROMOTERS.length - 1);
// Few values, so that steps often meet the same record.
const key = fc.nat(30);
const amount = fc.constantFrom(1, 3, 10, 333, 334, 1_001);
const currency = fc.constantFrom(null, null, null, "EUR" as const, "KRW" as const);
const kind = <K extends Step["kind"]>(name: K) => fc.constant(name);

const month = fc.record({ kind: kind("month") });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind("sale"), lead, key, amount, currency, instalments: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind("refund"),
      key,
      sale: fc.nat(30),
      part: fc.constantFrom(...PARTS),
      isNamed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind("cancellation"), lead, key: fc.option(key, { nil: null }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind("status"),
      commission: fc.nat(30),
      status: fc.constantFrom(...COMMISSION_STATUSES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("move"), lead, promoter, leaves: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: kind("splits"),
      lead,
      splits: fc.constantFrom<[number, number][][]>(
        [],
        [[4, 33.3333]],
        [
          [2, 12.5],
          [3, 50],
        ],
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind("state"),
      promoter,
      // Most are accepted most of the time.
      state: fc.constantFrom("accepted" as const, "accepted" as const, ...PROMOTER_CAMPAIGN_STATES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind("bonus"), promoter, amount: fc.constantFrom(-500, -1, 7, 250) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("hold"), days: fc.constantFrom(0, 40) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind("payouts"),
      action: fc.constantFrom(...BATCHES),
      payout: fc.nat(8),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("by hand"), commission: fc.nat(30) }) },
  { weight: 1, arbitrary: month },
);

/** Steps that happen at once, each once or twice, and perhaps the death of the process in the middle. */
export interface Wave {
  steps: { step: Step; times: number }[];
  death: Death | null;
}

const death = (most: number) => fc.record({ afterCommits: fc.nat(most), isWritten: fc.boolean() });
const orNone = <T>(one: fc.Arbitrary<T>, noneWeight: number) =>
  fc.oneof({ weight: noneWeight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: one });

const wave: fc.Arbitrary<Wave> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      steps: fc.array(fc.record({ step, times: fc.integer({ min: 1, max: 2 }) }), {
        minLength: 1,
        maxLength: 5,
      }),
      death: orNone(death(9), 4),
    }),
  },
  // The jobs make many commits, so a process often dies between two of them.
  {
    weight: 1,
    arbitrary: fc.record({
      steps: fc.tuple(fc.record({ step: month, times: fc.constant(1) })),
      death: orNone(death(25), 1),
    }),
  },
);

/** The history of a program, in one of the kinds of currencies: with two decimals, none, or three. */
export interface MoneyHistory {
  currency: string;
  waves: Wave[];
}

/** Makes such histories. `maxLength`: an even number of waves. */
export const moneyHistory = (maxLength: number): fc.Arbitrary<MoneyHistory> =>
  fc.record({
    currency: fc.constantFrom("USD", "JPY", "KWD"),
    waves: fc.array(wave, { minLength: maxLength / 2, maxLength, size: "max" }),
  });
