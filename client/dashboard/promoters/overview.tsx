import { listAddress } from "../../ui/fragment.ts";
import { count, country, date, exactPercent, money } from "../../ui/format.ts";
import { LongFigure } from "../../ui/long-text.tsx";
import { SUSPICIONS } from "../suspicions.ts";
import { NoteForm } from "./note.tsx";
import { PayoutMethods } from "./payout-methods.tsx";
import { PromoterPlot } from "./plot.tsx";
import { PromoterCampaigns } from "./promoter-campaigns.tsx";
import { useAccountDays } from "./terms.tsx";
import type { Promoter } from "./words.ts";

/** The most important facts about a promoter. */
export function PromoterOverview({ promoter, reload }: { promoter: Promoter; reload: () => Promise<void> }) {
  return (
    <div class="stack wide">
      {promoter.fraud_suspicions.length > 0 && <Suspicions promoter={promoter} />}
      <Figures promoter={promoter} />
      <PromoterPlot id={promoter.id} />
      <PromoterCampaigns promoter={promoter} reload={reload} />
      <div class="grid loose">
        <Profile promoter={promoter} />
        <div class="stack">
          <NoteForm promoter={promoter} reload={reload} />
          <PayoutMethods id={promoter.id} />
        </div>
      </div>
    </div>
  );
}

function Suspicions({ promoter: { id, fraud_suspicions: suspicions } }: { promoter: Promoter }) {
  const leads = listAddress("/admin/leads", { promoter: String(id), suspicion: "any" });
  return (
    <section class="notice warn stack tight" aria-label="Suspicions">
      {suspicions.map((kind) => (
        <p key={kind}>
          <strong>{SUSPICIONS[kind].words}.</strong> {SUSPICIONS[kind].why}
        </p>
      ))}
      <p>
        Look at <a href={leads}>the leads in question</a>: clear those that are fine, and disable the others,
        so that they earn nothing more.
      </p>
    </section>
  );
}

function Figures({ promoter: { stats, balances } }: { promoter: Promoter }) {
  return (
    <dl class="figures card">
      <Figure name="Clicks" value={count(stats.clicks_count)} />
      <Figure name="Leads" value={count(stats.referrals_count)} />
      <Figure name="Customers" value={count(stats.customers_count)} />
      <Figure name="Revenue" value={money(stats.revenue_amount)} />
      <Figure name="Earned" value={money(balances.earnings_balance.cash)} />
      <Figure name="Unpaid" value={money(balances.current_balance.cash)} />
    </dl>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <LongFigure text={value} />
      </dd>
    </div>
  );
}

function vatCheck({ vat_id_status: status, vat_id_checked_at: at }: Promoter["profile"]): string | null {
  if (status === "valid") return `Confirmed by VIES on ${date(at)}`;
  if (status === "invalid") return `VIES did not know this number on ${date(at)}`;
  return status === "unknown" ? "Not checked by VIES yet" : null;
}

function Profile({ promoter }: { promoter: Promoter }) {
  const { profile, tax_rate: taxRate, net_payout_days: days } = promoter;
  const accountDays = useAccountDays();
  const facts: [name: string, value: string | null][] = [
    ["Id", String(promoter.id)],
    ["Your id", promoter.cust_id],
    ["Joined", date(promoter.joined_at)],
    ["Last sign-in", promoter.last_login_at && date(promoter.last_login_at)],
    ["Website", profile.website],
    ["Company", profile.company_name],
    ["VAT id", profile.vat_id],
    ["VAT check", vatCheck(profile)],
    ["Country", profile.country && country(profile.country)],
    ["Address", profile.address],
    ["Phone", profile.phone_number],
    ["Tax rate", exactPercent(taxRate)],
    ["Days to the due date", days === null ? `${count(accountDays)}, the account's` : String(days)],
    ["About", profile.description],
    // The answers to the questions of the sign-up page are among them.
    ...Object.entries(promoter.custom_fields).map(([name, value]): [string, string] => [name, String(value)]),
  ];
  return (
    <section class="card">
      <h2>Profile</h2>
      <dl class="facts">
        {facts.map(([name, value]) =>
          value ? (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ) : null,
        )}
      </dl>
    </section>
  );
}
