import {
  type BillingConnection,
  type BillingMode,
  type BillingProvider,
} from "../domain/ledger/billing/connection.ts";
import type { ReceivedEvent } from "../domain/ledger/billing/received.ts";
import type { Context } from "../domain/context.ts";
import type { Account } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";
import { openProvider } from "./provider.ts";
import { receiveEvent } from "./reception.ts";

/**
 * Sends a made-up event the way that the provider's events take: signed with the stored secret, checked, and read.
 * Nothing of it is recorded. Returns its line in the list of events.
 */
export async function sendTestEvent(
  context: Context,
  account: Account,
  connection: BillingConnection,
): Promise<ReceivedEvent> {
  // Without the API key: the provider's API knows nothing of a made-up customer.
  const alone = { ...connection, apiKey: null };
  const adapter = await openProvider(alone);
  const body = JSON.stringify(SAMPLES[connection.provider](context, connection.mode));
  const headers = await adapter.sign(body, context.now);
  const notes: (() => Promise<ReceivedEvent>)[] = [];
  const delivery = { context, account, connection: alone, body, headers, is_test: true };
  try {
    await receiveEvent({ ...delivery, later: (note) => void notes.push(note) });
  } catch (error) {
    // The list says why it was refused.
    if (!(error instanceof Failure) || notes.length === 0) throw error;
  }
  const [noted] = await Promise.all(notes.map((note) => note()));
  if (noted === undefined) throw new Error("A test event left no note");
  return noted;
}

const NUMBER_LENGTH = 12;

const SAMPLES: Record<BillingProvider, (context: Context, mode: BillingMode) => object> = {
  stripe({ now, chance }, mode) {
    const seconds = Math.floor(now.getTime() / 1_000);
    const number = chance.digits(NUMBER_LENGTH);
    const line = { amount: 4_900, quantity: 1, period: { start: seconds, end: seconds }, metadata: {} };
    const invoice = {
      id: `in_test_${number}`,
      object: "invoice",
      created: seconds,
      currency: "usd",
      customer: `cus_test_${number}`,
      customer_email: "test@example.com",
      amount_paid: 4_900,
      total: 4_900,
      total_excluding_tax: 4_900,
      status: "paid",
      lines: { data: [line] },
      metadata: {},
    };
    return {
      id: `evt_test_${number}`,
      object: "event",
      type: "invoice.paid",
      created: seconds,
      livemode: mode === "live",
      data: { object: invoice },
    };
  },
  paddle({ now, chance }) {
    const at = now.toISOString();
    const number = chance.digits(NUMBER_LENGTH);
    const totals = { subtotal: "4900", tax: "0", total: "4900", grand_total: "4900", currency_code: "USD" };
    return {
      event_id: `evt_test_${number}`,
      event_type: "transaction.completed",
      occurred_at: at,
      notification_id: `ntf_test_${number}`,
      data: {
        id: `txn_test_${number}`,
        status: "completed",
        customer_id: `ctm_test_${number}`,
        currency_code: "USD",
        custom_data: null,
        items: [],
        payments: [],
        details: { tax_rates_used: [], totals, line_items: [] },
        billed_at: at,
        created_at: at,
        updated_at: at,
      },
    };
  },
};
