import { z } from "zod";
import { Failure } from "../failure.ts";
import type { Nothing, Told } from "./told.ts";
import type { Provider, ProviderEvent } from "./provider.ts";

/** No provider that we know is older, and an earlier date is a fault of a clock. */
const EARLIEST = Date.UTC(2000);
/** Clocks may differ by this much. */
const TOLERANCE_MS = 5 * 60 * 1_000;

/**
 * Translates an event of a provider into our words, and refuses one that can't be true.
 *
 * @throws Failure `malformed` for a missing field, an amount with a fraction, or an impossible date
 * @see docs/spec/money.md "Billing providers"
 */
export async function translate(provider: Provider, event: ProviderEvent): Promise<Told | Nothing> {
  const told = await readable(() => provider.toOperation(event));
  if (told.kind === "nothing") return told;
  for (const date of [event.at, told.at]) refuseImpossible(date, event.signedAt);
  return told;
}

/** @throws Failure `malformed` instead of a schema's own error */
export async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    throw new Failure("malformed", `The event can't be read: ${issue?.path.join(".")} ${issue?.message}`);
  }
}

/** An event may be days old when it is signed, because providers repeat it, but it can't be from the future. */
function refuseImpossible(date: Date, signedAt: Date | null): void {
  const time = date.getTime();
  if (Number.isNaN(time)) throw new Failure("malformed", "The event has a date that does not exist");
  if (time < EARLIEST) throw new Failure("malformed", "The event has a date before 2000");
  if (signedAt !== null && time > signedAt.getTime() + TOLERANCE_MS) {
    throw new Failure("malformed", "The event has a date more than five minutes after its signature");
  }
}
