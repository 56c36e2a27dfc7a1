import type { Nothing, Told } from "../told.ts";
import { takeCancellation } from "./cancellation.ts";
import { takePayment } from "./payment.ts";
import { takeRefund } from "./refund.ts";
import { taken, type Source, type Taken } from "./taker.ts";

/**
 * Records what a provider reported. However often and in whichever order its events come, each payment, refund and
 * cancellation counts once.
 *
 * @throws Failure the same as the operation that records it, for example `rule_broken` for an amount that is too large
 */
export async function take(source: Source, told: Told | Nothing): Promise<Taken> {
  switch (told.kind) {
    case "payment":
      return takePayment(source, told);
    case "refund":
    case "dispute":
    case "reversal":
      return takeRefund(source, told);
    case "cancellation":
      return takeCancellation(source, told);
    case "nothing":
      return taken("ignored", told.reason);
  }
}
