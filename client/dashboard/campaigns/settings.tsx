import { Checkbox, Select, TextArea, TextField } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import type { CampaignViewProps } from "./campaign.tsx";
import type { Campaign } from "./choices.tsx";
import { FurtherPages } from "./further-pages.tsx";
import { saveCampaign } from "./save.ts";
import { UpgradeSettings } from "./upgrade.tsx";

/** The URL parameters for the promoter's word. */
const PARAMETERS = [
  "via",
  "ref",
  "fpr",
  "fp_ref",
  "svc_ref",
  "svc",
  "a",
  "deal",
  "_from",
  "_by",
  "_go",
  "_get",
];
const ATTRIBUTIONS = [
  ["last", "The last one counts"],
  ["first", "The first one counts"],
] as const;
const AD_TRAFFIC = [
  ["pending", "Review their commissions"],
  ["allow", "Count them like any others"],
  ["block", "Don't count them"],
] as const;

/**
 * A campaign's settings, further pages and next campaign. Saving one form does not reset the others.
 */
export function CampaignSettings(props: CampaignViewProps) {
  return (
    <div class="stack wide">
      <Rules {...props} />
      <FurtherPages {...props} />
      <UpgradeSettings {...props} />
    </div>
  );
}

function Rules(props: CampaignViewProps) {
  const form = useForm(valuesOf(props.campaign));
  return (
    <div class="card">
      <Form
        form={form}
        action="Save the settings"
        onSubmit={async ({ allowed_origins: origins, ...given }) => {
          const saved = await saveCampaign(props, {
            ...given,
            visitor_cookie_life: Number(given.visitor_cookie_life),
            commission_hold_days: Number(given.commission_hold_days),
            attribution: given.attribution as Campaign["attribution"],
            track_ad_traffic: given.track_ad_traffic as Campaign["track_ad_traffic"],
            allowed_origins: origins.split(/\s+/).filter(Boolean),
          });
          fillForm(form, valuesOf(saved));
        }}
      >
        <fieldset class="stack" disabled={!may("manager")}>
          <LinkFields form={form} />
          <PromoterFields form={form} />
          <CommissionFields form={form} />
        </fieldset>
      </Form>
    </div>
  );
}

/** Links and attribution. */
function LinkFields({ form }: { form: FormState<Values> }) {
  return (
    <>
      <TextField form={form} name="name" label="Name" hint="Promoters see it." required />
      <TextField form={form} name="landing_url" label="Landing page" type="url" required />
      <TextField form={form} name="color" label="Colour in the list of campaigns" type="color" />
      <div class="grid">
        <Select
          form={form}
          name="ref_token_param"
          label="Parameter of their links"
          options={PARAMETERS.map((name) => [name, `?${name}=`])}
        />
        <TextField
          form={form}
          name="visitor_cookie_life"
          label="Days that a visitor counts as referred"
          type="number"
          min={1}
          required
        />
        <Select
          form={form}
          name="attribution"
          label="If a visitor follows two links"
          options={ATTRIBUTIONS}
        />
      </div>
    </>
  );
}

/** Who may join, and what promoters may do without you. */
function PromoterFields({ form }: { form: FormState<Values> }) {
  return (
    <>
      <Checkbox form={form} name="auto_approve_promoters" label="Accept promoters without a review" />
      <Checkbox form={form} name="is_private" label="Let promoters join by invitation only" />
      <Checkbox
        form={form}
        name="promoters_may_add_leads"
        label="Let promoters add leads by hand"
        hint="Each waits for your approval. They don't learn whether you already know the person."
      />
      <Checkbox
        form={form}
        name="promoters_may_make_promo_codes"
        label="Let promoters make promo codes"
        hint="Each gives one of the campaign's rewards for customers. Without such a reward, they can't make any."
      />
    </>
  );
}

/** Which sales count, and when they are paid. */
function CommissionFields({ form }: { form: FormState<Values> }) {
  return (
    <>
      <Checkbox
        form={form}
        name="auto_approve_commissions"
        label="Approve commissions without a review"
        hint="Those of suspicious leads wait for you in any case."
      />
      <TextField
        form={form}
        name="commission_hold_days"
        label="Days that commissions are held, in case of refunds"
        type="number"
        min={0}
        max={365}
        required
      />
      <Select form={form} name="track_ad_traffic" label="Visits from paid ads" options={AD_TRAFFIC} />
      <TextArea
        form={form}
        name="allowed_origins"
        label="Sites that may send sign-ups from a browser"
        hint="One per line, like *.example.com. Leave it empty for the landing page's own site."
        rows={3}
      />
    </>
  );
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf(campaign: Campaign) {
  return {
    name: campaign.name,
    color: campaign.color,
    landing_url: campaign.landing_url,
    ref_token_param: campaign.ref_token_param.replace("?", ""),
    visitor_cookie_life: String(campaign.visitor_cookie_life),
    attribution: campaign.attribution as string,
    auto_approve_promoters: campaign.auto_approve_promoters,
    is_private: campaign.is_private,
    promoters_may_add_leads: campaign.promoters_may_add_leads,
    promoters_may_make_promo_codes: campaign.promoters_may_make_promo_codes,
    auto_approve_commissions: campaign.auto_approve_commissions,
    commission_hold_days: String(campaign.commission_hold_days),
    track_ad_traffic: campaign.track_ad_traffic as string,
    allowed_origins: campaign.allowed_origins.join("\n"),
  };
}
