import type { ComponentChildren } from "preact";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { date, dateTime, money } from "../../ui/format.ts";
import { amountOf, type Unit } from "../../ui/amount.ts";
import { STATUSES } from "../commissions/words.ts";
import { STATUSES as PAYOUT_STATUSES } from "../payouts/words.ts";

type Entry = components["schemas"]["TimelineEntry"];

/** What happened to a lead, oldest first. */
export function Timeline({ entries }: { entries: Entry[] }) {
  return (
    <ol class="timeline">
      {entries.map((entry) => (
        <li key={`${entry.kind} ${entry.id ?? ""}`} data-kind={entry.kind}>
          <span class="small faint">{entry.at === null ? "Some time ago" : dateTime(entry.at)}</span>
          <div class="stack tight">{STORIES[entry.kind](entry)}</div>
        </li>
      ))}
    </ol>
  );
}

const STORIES: Record<Entry["kind"], (entry: Entry) => ComponentChildren> = {
  click: Click,
  signup: () => <strong>Signed up</strong>,
  cancellation: () => <strong>Cancelled</strong>,
  sale: (entry) => (
    <>
      <strong>Paid {inMoney(entry)}</strong>
      <Small parts={soldParts(entry)} />
    </>
  ),
  refund: (entry) => (
    <>
      <strong>Got {inMoney(entry)} back</strong>
      <Small parts={[entry.event_id]} />
    </>
  ),
  commission: Commission,
  payout: Payout,
};

function Click({ source, page, landing_url: url, referrer, sub_id: subId, is_ad_traffic: isAd }: Entry) {
  return (
    <>
      <strong>
        Followed the link {source === "direct" ? "directly" : source === "other" ? "" : `on ${source}`}
      </strong>
      <Small parts={[`to ${url ?? page}`, referrer && `from ${referrer}`, subId && `sub id ${subId}`]} />
      {isAd && (
        <span>
          <Badge tone="warn">From a paid ad</Badge>
        </span>
      )}
    </>
  );
}

function Commission({ amount, unit, status, tier, reward, promoter }: Entry) {
  const { words, tone } = STATUSES[status as keyof typeof STATUSES];
  const earned = amountOf({ amount: amount ?? 0, unit: unit as Unit });
  return (
    <>
      <span class="row tight">
        <span>
          {promoter ? <a href={`/admin/promoters/${promoter.id}`}>{promoter.name}</a> : "A promoter"}{" "}
          {(amount ?? 0) < 0 ? "gave back" : "earned"} <strong>{earned.replace(/^[-−]/, "")}</strong>
        </span>
        <Badge tone={tone}>{words}</Badge>
      </span>
      <Small parts={[reward, (tier ?? 1) > 1 && `tier ${tier}`]} />
    </>
  );
}

function Payout({ amount, unit, status, due_date: due }: Entry) {
  const { words, tone } = PAYOUT_STATUSES[status as keyof typeof PAYOUT_STATUSES];
  return (
    <>
      <span class="row tight">
        <span>Part of a payout of {amountOf({ amount: amount ?? 0, unit: unit as Unit })}</span>
        <Badge tone={tone}>{words}</Badge>
      </span>
      {status === "pending" && <Small parts={[`due ${date(due)}`]} />}
    </>
  );
}

function Small({ parts }: { parts: (string | null | false)[] }) {
  const words = parts.filter(Boolean).join(" · ");
  return words === "" ? null : <small class="soft">{words}</small>;
}

function soldParts({ quantity, plan_id: plan, event_id: event, mrr, referral_reward: reward }: Entry) {
  return [
    plan,
    (quantity ?? 1) > 1 && `${quantity} pieces`,
    event,
    mrr !== null && `${money(mrr)} a month`,
    reward && `got the reward ${reward}`,
  ];
}

/** In the account's currency, and in the sale's own if that is another. */
function inMoney({ amount, original_amount: original, original_currency: currency }: Entry): string {
  if (currency === null) return money(amount);
  return `${money(original, { currency })} (${money(amount)})`;
}
