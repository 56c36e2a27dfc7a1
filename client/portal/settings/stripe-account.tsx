import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { CountryField } from "../../ui/form/country.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { t, type TextKey } from "../../languages/messages.ts";
import { session } from "../session/session.ts";

type StripeAccount = components["schemas"]["StripeAccount"];

const TONES: Record<StripeAccount["state"], Tone> = {
  none: "quiet",
  opening: "warn",
  incomplete: "warn",
  pending: "warn",
  enabled: "good",
  rejected: "bad",
  lost: "bad",
  closing: "quiet",
};

/** The fields that Stripe may miss, by parts of their names, and the keys of their texts. */
const MISSING: [part: RegExp, words: TextKey][] = [
  [/tos_acceptance/, "stripe.terms"],
  [/verification|document/, "stripe.document"],
  [/external_account/, "stripe.bank"],
  [/address/, "stripe.address"],
  [/\.dob/, "stripe.birth"],
  [/id_number|ssn|tax_id/, "stripe.number"],
  [/_name/, "stripe.name"],
  [/email|phone/, "stripe.contact"],
];

/** `/portal/stripe`, where Stripe leads back to. */
export function StripePage() {
  const { query } = useLocation();
  return (
    <Page title={t("stripe.title")}>
      {query["link"] === "used" && (
        <p class="notice warn" role="status">
          {t("stripe.used")}
        </p>
      )}
      <div class="stack">
        <StripeCard
          missing={
            <div class="card">
              <Empty title={t("stripe.unavailable")} />
            </div>
          }
        />
        <p>
          <a href="/portal/settings#tab=payout">{t("stripe.methods")}</a>
        </p>
      </div>
    </Page>
  );
}

/** The promoter's account at Stripe, and what to do about it. Stripe is asked for its state. */
export function StripeCard({ missing = null, onUsed }: { missing?: ComponentChildren; onUsed?: () => void }) {
  const loaded = useLoad(load);
  return (
    <Await loaded={loaded}>
      {(account) =>
        account.is_available ? (
          <section class="card stack narrow" aria-label={t("method.stripe")}>
            <div class="row spread">
              <h2>{t("method.stripe")}</h2>
              <Badge tone={TONES[account.state]}>{t(`stripe.${account.state}`)}</Badge>
            </div>
            <p>{t(`stripe.${account.state}.text`)}</p>
            <Lacking account={account} />
            {account.state !== "rejected" && (
              <StartForm
                account={account}
                onUsed={() => {
                  onUsed?.();
                  void loaded.reload();
                }}
              />
            )}
          </section>
        ) : (
          missing
        )
      }
    </Await>
  );
}

function Lacking({ account: { state, missing, payouts_enabled: hasPayouts } }: { account: StripeAccount }) {
  const keyOf = (name: string): TextKey => MISSING.find(([part]) => part.test(name))?.[1] ?? "stripe.other";
  const words = [...new Set(missing.map(keyOf))];
  return (
    <>
      {words.length > 0 && (
        <ul>
          {words.map((each) => (
            <li key={each}>{t(each)}</li>
          ))}
        </ul>
      )}
      {state === "enabled" && !hasPayouts && <p class="notice warn">{t("stripe.no_payouts")}</p>}
    </>
  );
}

function StartForm({ account, onUsed }: { account: StripeAccount; onUsed: () => void }) {
  const { state, country, missing } = account;
  const form = useForm({ country: country ?? "" });
  const isNew = state === "none" || state === "lost";
  const isDone = state === "enabled" && missing.length === 0;
  return (
    <Form
      form={form}
      action={t(isDone ? "stripe.title" : isNew ? "stripe.start" : "stripe.go_on")}
      isDisabled={session.value?.is_read_only === true}
      onSubmit={async (body) => {
        const { link } = await answer(api.POST("/api/v2/affiliate/stripe_account", { body }));
        // Stripe's pages can't be shown in the frame of a company's product.
        if (link !== null) return void window.open(link, "_top");
        toast(t("stripe.done"));
        onUsed();
      }}
    >
      {isNew && (
        <CountryField
          form={form}
          name="country"
          label={t("stripe.country")}
          hint={t("stripe.country.hint")}
          autocomplete="country"
          required
        />
      )}
    </Form>
  );
}

async function load(signal: AbortSignal): Promise<StripeAccount> {
  const known = await answer(api.GET("/api/v2/affiliate/stripe_account", { signal }));
  if (!known.is_available || known.state === "none" || session.value?.is_read_only) return known;
  // If Stripe can't be asked now, or was asked too often, the page shows what was known.
  return answer(api.POST("/api/v2/affiliate/stripe_account/check", { signal })).catch(() => known);
}
