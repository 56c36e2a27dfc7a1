import { leads, type Lead } from "../domain/people/lead/lead.ts";
import { commissions, type Commission } from "../domain/ledger/commission/commission.ts";
import { payouts, type Payout } from "../domain/ledger/payout/payout.ts";
import { isTakenBack, refunds, sales, type Refund, type Sale } from "../domain/ledger/sale/sale.ts";
import {
  deliveries,
  destinationOf,
  isOpen,
  lanes,
  type Delivery,
  type Lane,
} from "../domain/events/webhook/delivery.ts";
import { Failure } from "../failure.ts";
import { isSameJson } from "../storage/digests.ts";
import { keyOf, recordOf, valuesOf, wrongFields } from "../storage/record.ts";
import type { ColumnValue, KeyPart } from "../storage/table.ts";
import { NO_SEAL, type Seal } from "../seal.ts";
import { freezes } from "../storage/freeze.ts";
import { checkLayout } from "../storage/layout.ts";
import type { Engine, Reads, Session, Values } from "../storage/session.ts";
import { isSealed, openRecord } from "../storage/sealed.ts";
import { sqlName } from "../storage/sql.ts";
import {
  newAdditions,
  newCalendars,
  placeOf,
  sumsOfAccount,
  type Addition,
  type SumTable,
} from "../storage/sums.ts";
import { newView } from "../storage/view.ts";
import { SUM_TABLES, TABLES, type AnyRecord, type AnyTable } from "../tables.ts";
import { counting, type Progress } from "./progress.ts";
import { atOneMoment, contradiction, rowsIn } from "./stored-items.ts";

/** A fault in a store. */
interface Fault {
  sentence: string;
  /** Repairs it from the records. Without it, only a backup helps. */
  repair?: (session: Session) => Promise<void>;
}

/**
 * Compares all columns and sums of a store with its records, and records with each other, and yields a sentence for each
 * fault. Servers may keep running, because it reads one snapshot. Only one account's numbers are in memory at a time.
 */
export async function* findFaults(engine: Engine, onProgress: Progress = () => {}): AsyncGenerator<string> {
  const faults = atOneMoment(engine, (reads) => faultsIn(reads, engine.seal ?? NO_SEAL, onProgress));
  for await (const { sentence } of faults) yield sentence;
}

/**
 * Repairs wrong columns and sums in one transaction.
 *
 * @returns a sentence for each fault that is left
 * @throws Failure `malformed` for a damaged record or a duplicate of a unique record; nothing is changed then
 */
export async function rebuildStore(engine: Engine, onProgress: Progress): Promise<string[]> {
  await checkLayout(engine);
  return engine.transact(async (session) => {
    for (;;) {
      const left: string[] = [];
      let repairedCount = 0;
      for await (const { sentence, repair } of faultsIn(session, engine.seal ?? NO_SEAL, onProgress)) {
        if (repair === undefined) left.push(sentence);
        else await repair(session);
        if (repair !== undefined) repairedCount++;
      }
      // A record under the wrong account was not counted yet.
      if (repairedCount === 0) return left;
    }
  });
}

async function* faultsIn(reads: Reads, seal: Seal, onProgress: Progress): AsyncGenerator<Fault> {
  const progress = counting("checked", onProgress);
  for (const accountId of await accountIdsIn(reads)) {
    const freeze = await reads.get(freezes, accountId, [1]);
    // The sums' tables are emptied one by one.
    if (freeze !== null && recordOf(freezes, freeze).state === "removed") continue;
    const additions = newAdditions();
    const calendars = newCalendars(newView(reads, seal));
    const ties = new Map<string, Omit<Tie, "of">>();
    for (const table of TABLES) {
      const calendar = await calendars.of(table, accountId);
      for await (const rows of rowsIn(reads, table, accountId)) {
        for (const row of rows) {
          const { record, fault } = inspect(table, row, seal);
          if (fault !== null) yield fault;
          if (record === null) continue;
          additions.note(table, { before: null, after: record, calendar });
          for (const { of, said, counted, mayLackParts = false } of tiesOf(table, record)) {
            const tie = ties.get(of) ?? { said: 0, counted: 0 };
            ties.set(of, {
              said: tie.said + said,
              counted: tie.counted + counted,
              mayLackParts: mayLackParts || tie.mayLackParts === true,
            });
          }
        }
        progress(rows.length);
      }
    }
    const added = additions.take();
    for (const table of SUM_TABLES) yield* wrongSums(reads, accountId, { table, added });
    for (const [of, { said, counted, mayLackParts }] of ties) {
      if (said !== counted && !(mayLackParts && counted === 0))
        yield { sentence: `${of} are said to be ${said}, but the records add up to ${counted}` };
    }
  }
}

async function accountIdsIn(reads: Reads): Promise<number[]> {
  const names = [...TABLES.map(sqlName), ...SUM_TABLES.map(({ name }) => name)];
  const text = names.map((name) => `select account_id from ${name}`).join(" union ");
  const rows = await reads.all({
    text: `select account_id from (${text}) as accounts order by account_id`,
    values: [],
  });
  return rows.map(([accountId]) => Number(accountId));
}

/** Compares the columns that are derived from a record with the record. */
function inspect(from: AnyTable, row: Values, seal: Seal): { record: AnyRecord | null; fault: Fault | null } {
  const names = from.names;
  const place = ["account_id", ...from.key].map((name) => row[names.indexOf(name)]!) as KeyPart[];
  const [accountId, ...key] = place;
  const label = `${from.name} ${JSON.stringify(key)} of account ${accountId}`;
  let record: AnyRecord;
  let made: Values;
  try {
    record = recordOf(from, row);
    made = valuesOf(from, record);
  } catch {
    return { record: null, fault: unrepairable(`${label} is damaged: restore a backup that has it`) };
  }
  const impossible = wrongFields(from, record);
  if (impossible.length > 0) {
    const sentence = `${label} has values that it can't have: ${impossible.join(", ")}. Restore a backup`;
    return { record: null, fault: unrepairable(sentence) };
  }
  const isWrong = (name: string, at: number) =>
    !(from.fields[name]?.type === "json" ? isSameText : isSame)(row[at]!, made[at]!);
  const wrong = names.filter(isWrong);
  if (wrong.length === 0) return { record, fault: wrongSecret(from, { record, label, seal }) };
  const refusal = (unique: string | null) => contradiction(from, keyOf(from, record), unique);
  return {
    record,
    fault: {
      sentence: `${label} has columns that do not fit the record: ${wrong.join(", ")}`,
      async repair(session) {
        await session.remove(from, Number(accountId), key);
        await session.write(from, made, { key: keyOf(from, record), isNew: true, refusal });
      },
    },
  };
}

/** A rebuild that meets it changes nothing. */
function unrepairable(sentence: string): Fault {
  return { sentence, repair: () => Promise.reject(new Failure("malformed", sentence)) };
}

/** A secret that is not sealed, or that no key opens. */
function wrongSecret(
  from: AnyTable,
  { record, label, seal }: { record: AnyRecord; label: string; seal: Seal },
): Fault | null {
  if (isSealed(record)) {
    try {
      openRecord(from, record, seal);
      return null;
    } catch {
      const sentence = `${label} can't be decrypted: TIDEMARK_SECRET_FILE lacks its key, or it was sealed for another record or promoter`;
      return { sentence };
    }
  }
  if (from.sealed?.isSecret(record) !== true) return null;
  // Encrypting it would make it look as if the server had written it.
  return { sentence: `${label} is not encrypted, so its secret is not used: it was written without the key` };
}

/** Whether two columns hold the same document. Postgres writes it in its own way. */
function isSameText(one: ColumnValue, other: ColumnValue): boolean {
  return (
    one === other ||
    (one !== null && other !== null && isSameJson(JSON.parse(String(one)), JSON.parse(String(other))))
  );
}

/** Some engines return large integers as texts. */
function isSame(one: ColumnValue, other: ColumnValue): boolean {
  return one === null || other === null ? one === other : String(one) === String(other);
}

/** Compares a table of sums with the sums of the account's records. */
async function* wrongSums(
  reads: Reads,
  accountId: number,
  { table: into, added }: { table: SumTable; added: Addition[] },
): AsyncGenerator<Fault> {
  const width = Object.keys(into.by).length;
  const counted = new Map(added.filter((each) => each.into === into).map((each) => [each.place, each]));
  const said = new Map<string, Addition>();
  for (const row of await reads.all(sumsOfAccount(into, accountId, reads.dialect))) {
    const key = row.slice(0, width) as KeyPart[];
    const place = placeOf(into, accountId, key);
    said.set(place, { into, account_id: accountId, key, amounts: row.slice(width).map(Number), place });
  }
  for (const [place, { key, amounts }] of new Map([...said, ...counted])) {
    const [stored, right] = [said, counted].map(
      (sums) => sums.get(place)?.amounts ?? amounts.map(() => 0),
    ) as [number[], number[]];
    const missing = right.map((amount, at) => amount - stored[at]!);
    if (missing.every((amount) => amount === 0)) continue;
    const wrong = into.sums.flatMap((name, at) =>
      missing[at] === 0 ? [] : `${name} ${stored[at]} instead of ${right[at]}`,
    );
    yield {
      sentence: `${into.name} ${JSON.stringify(key)} of account ${accountId} has other sums than the records: ${wrong.join(", ")}`,
      repair: async (session) =>
        session.addUp([{ into, account_id: accountId, key, amounts: missing, place }]),
    };
  }
}

/** A number in one record that other records must add up to. */
interface Tie {
  /** The number's name: `the sales of lead 7`. */
  of: string;
  /** The number in the record. */
  said: number;
  /** The amount that the record adds. */
  counted: number;
  /** Whether there may be no records that add up to the number. */
  mayLackParts?: boolean;
}

/** The numbers that a record states or adds to. */
function tiesOf(from: AnyTable, record: AnyRecord): Tie[] {
  if (from.name === leads.name) return tiesOfLead(record as Lead);
  if (from.name === sales.name) return tiesOfSale(record as Sale);
  if (from.name === refunds.name) return tiesOfRefund(record as Refund);
  if (from.name === payouts.name) return tiesOfPayout(record as Payout);
  if (from.name === commissions.name) return tiesOfCommission(record as Commission);
  if (from.name === lanes.name) return tiesOfLane(record as Lane);
  if (from.name === deliveries.name) return tiesOfDelivery(record as Delivery);
  return [];
}

function tiesOfLead({ id, sales_count, refunded_sales_count }: Lead): Tie[] {
  // Most leads have none and need no memory. If such a lead has sales after all, they are reported as too many.
  if (sales_count === 0 && refunded_sales_count === 0) return [];
  return [
    { of: salesOf(id), said: sales_count, counted: 0 },
    { of: refundedSalesOf(id), said: refunded_sales_count, counted: 0 },
  ];
}

function tiesOfSale(sale: Sale): Tie[] {
  const { id, lead_id, refunded_cents } = sale;
  return [
    { of: salesOf(lead_id), said: 0, counted: sale.is_duplicate ? 0 : 1 },
    { of: refundedSalesOf(lead_id), said: 0, counted: isTakenBack(sale) ? 1 : 0 },
    { of: refundedCentsOf(id), said: refunded_cents, counted: 0 },
  ];
}

function tiesOfRefund({ sale_id, amount_cents }: Refund): Tie[] {
  return [{ of: refundedCentsOf(sale_id), said: 0, counted: amount_cents }];
}

/**
 * A cancelled payout keeps its amount, but has no commissions. Payouts of release 0.1 don't say which ones they have paid.
 *
 * @see docs/spec/money.md "Laws", 1
 */
function tiesOfPayout({ id, status, amount }: Payout): Tie[] {
  const said = status === "cancelled" ? 0 : amount;
  return [{ of: commissionsIn(id), said, counted: 0, mayLackParts: true }];
}

function tiesOfCommission({ payout_id, amount }: Commission): Tie[] {
  return payout_id === null ? [] : [{ of: commissionsIn(payout_id), said: 0, counted: amount }];
}

function tiesOfLane({ destination, lane, count }: Lane): Tie[] {
  return [{ of: openIn(destination, lane), said: count, counted: 0 }];
}

function tiesOfDelivery(delivery: Delivery): Tie[] {
  if (!isOpen(delivery)) return [];
  return [{ of: openIn(destinationOf(delivery), delivery.lane), said: 0, counted: 1 }];
}

function salesOf(leadId: number): string {
  return `the sales of lead ${leadId}`;
}

function refundedSalesOf(leadId: number): string {
  return `the refunded sales of lead ${leadId}`;
}

function refundedCentsOf(saleId: number): string {
  return `the refunded cents of sale ${saleId}`;
}

function commissionsIn(payoutId: number): string {
  return `the commissions in payout ${payoutId}`;
}

function openIn(destination: string, lane: string): string {
  return `the open deliveries to ${destination} in lane ${lane}`;
}
