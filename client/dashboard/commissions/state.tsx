import { Badge } from "../../ui/feedback/badge.tsx";
import { SUSPICIONS } from "../suspicions.ts";
import type { Commission } from "./query.ts";
import { STATUSES } from "./words.ts";

/** Whether a commission is paid, will be paid, or waits. */
export function CommissionState({ commission }: { commission: Commission }) {
  const { status, is_paid: isPaid, fraud_check: suspicion } = commission;
  const { words, tone } = STATUSES[status];
  return (
    <span class="row tight">
      {isPaid ? <Badge tone="good">Paid</Badge> : <Badge tone={tone}>{words}</Badge>}
      {suspicion && suspicion !== "no_suspicion" && <Badge tone="warn">{SUSPICIONS[suspicion].short}</Badge>}
    </span>
  );
}
