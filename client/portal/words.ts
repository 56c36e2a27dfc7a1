import { t, type KeysOf } from "../languages/messages.ts";
import type { Tone } from "../ui/feedback/badge.tsx";

/** The properties of a state's badge. */
interface Words {
  tone: Tone;
  children: string;
}

type Tones<Name extends string> = Record<Name, Tone>;

const STATES: Tones<KeysOf<"state">> = {
  pending: "warn",
  accepted: "good",
  rejected: "bad",
  blocked: "bad",
  inactive: "quiet",
};

/** The state of a promoter in a campaign. */
export function stateWords(state: keyof typeof STATES): Words {
  return { tone: STATES[state], children: t(`state.${state}`) };
}

const LEAD_STATES: Tones<KeysOf<"lead">> = {
  signup: "quiet",
  subscribed: "quiet",
  active: "good",
  cancelled: "warn",
  refunded: "warn",
  denied: "bad",
  pending: "warn",
};

/** The state of a lead. */
export function leadWords(state: string): Words {
  return isOf(LEAD_STATES, state)
    ? { tone: LEAD_STATES[state], children: t(`lead.${state}`) }
    : { tone: "quiet", children: state };
}

const COMMISSION_STATES: Tones<KeysOf<"commission">> = {
  pending: "warn",
  approved: "good",
  denied: "bad",
  paid: "good",
};

/** The state of a commission. */
export function commissionWords(state: string): Words {
  return isOf(COMMISSION_STATES, state)
    ? { tone: COMMISSION_STATES[state], children: t(`commission.${state}`) }
    : { tone: "quiet", children: state };
}

const PAYOUT_STATES: Tones<KeysOf<"payout">> = {
  pending: "warn",
  processing: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "quiet",
};

/** The state of a payout. */
export function payoutWords(state: keyof typeof PAYOUT_STATES): Words {
  return { tone: PAYOUT_STATES[state], children: t(`payout.${state}`) };
}

const PAYMENT_STATES: Tones<KeysOf<"payment">> = {
  intent: "warn",
  asked: "warn",
  unclaimed: "warn",
  confirmed: "good",
  failed: "bad",
  partly_returned: "bad",
  returned: "bad",
};

/** The state of a payment. */
export function paymentWords(state: keyof typeof PAYMENT_STATES): Words {
  return { tone: PAYMENT_STATES[state], children: t(`payment.${state}`) };
}

/** Names that are the same in all languages. */
const NAMES: Record<string, string> = { paypal: "PayPal", wise: "Wise", dots: "Dots" };

/** The name of a payout method. */
export function methodName(method: string): string {
  const known = { bank: "method.bank", crypto: "method.crypto", custom: "method.custom" } as const;
  return isOf(known, method) ? t(known[method]) : (NAMES[method] ?? method);
}

function isOf<T extends object>(table: T, name: string): name is keyof T & string {
  return Object.hasOwn(table, name);
}
