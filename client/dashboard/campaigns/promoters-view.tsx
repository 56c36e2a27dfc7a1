import { Copyable } from "../../ui/feedback/copy.tsx";
import { count, money, several } from "../../ui/format.ts";
import { listAddress } from "../../ui/fragment.ts";
import { LongFigure } from "../../ui/long-text.tsx";
import type { CampaignViewProps } from "./campaign.tsx";

/** The campaign as promoters see it: its links, its sign-up page and what it gives. */
export function PromotersView({ campaign }: CampaignViewProps) {
  return (
    <div class="stack wide">
      <Figures campaign={campaign} />
      <TheirLink campaign={campaign} />
      <SignupPage campaign={campaign} />
      <WhatTheyGet campaign={campaign} />
    </div>
  );
}

type PartProps = Pick<CampaignViewProps, "campaign">;

function Figures({ campaign: { id, stats } }: PartProps) {
  const of = { campaign: String(id) };
  return (
    <dl class="figures card">
      <Figure
        name="Promoters"
        value={count(stats.promoters_count)}
        to={listAddress("/admin/promoters", of)}
      />
      <Figure name="Leads" value={count(stats.referrals_count)} to={listAddress("/admin/leads", of)} />
      <Figure
        name="Customers"
        value={count(stats.customers_count)}
        to={listAddress("/admin/leads", { ...of, type: "customer" })}
      />
      <Figure name="Sales" value={count(stats.sales_count)} />
      <Figure name="Revenue" value={money(stats.revenue_amount, { isRound: true })} />
    </dl>
  );
}

function Figure({ name, value, to }: { name: string; value: string; to?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{to === undefined ? <LongFigure text={value} /> : <a href={to}>{value}</a>}</dd>
    </div>
  );
}

function TheirLink({ campaign }: PartProps) {
  return (
    <section class="card stack">
      <h2>Their link</h2>
      <p class="soft">Each promoter has their own word in it. Jane's would be:</p>
      <Copyable text={linkOf(campaign, "jane")} of="an example of a link" />
      <p class="soft">
        Visitors who follow it count as theirs for {several(campaign.visitor_cookie_life, "day")}.{" "}
        {campaign.attribution === "last"
          ? "If a visitor follows the links of two promoters, the last one gets them."
          : "If a visitor follows the links of two promoters, the first one keeps them."}
      </p>
    </section>
  );
}

function linkOf({ landing_url: page, ref_token_param: param }: PartProps["campaign"], word: string): string {
  const url = new URL(page);
  url.searchParams.set(param.replace("?", ""), word);
  return url.href;
}

function SignupPage({ campaign }: PartProps) {
  const { signup_url: signupUrl } = campaign;
  return (
    <section class="card stack">
      <h2>Sign-up page</h2>
      <p class="soft">
        {campaign.is_private
          ? "Only people with this address can ask to join."
          : "Everybody can ask to join here."}{" "}
        {campaign.auto_approve_promoters
          ? "They are accepted immediately."
          : "They wait until you accept them."}
      </p>
      <Copyable text={signupUrl} of="the address of the sign-up page" />
      <div>
        <a class="button" href={signupUrl} target="_blank" rel="noopener">
          Open the sign-up page
        </a>
      </div>
    </section>
  );
}

function WhatTheyGet({ campaign: { rewards_for_promoters: rewards } }: PartProps) {
  return (
    <section class="card stack">
      <h2>What they get</h2>
      {rewards.length === 0 ? (
        <p>
          Nothing yet. <a href="#tab=rewards">Choose a reward</a>, otherwise sales earn nothing.
        </p>
      ) : (
        <ul>
          {rewards.map(({ reward_id: rewardId, reward }) => (
            <li key={rewardId}>{reward.name}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
