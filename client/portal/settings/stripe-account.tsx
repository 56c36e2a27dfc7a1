import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { session } from "../session/session.ts";

type StripeAccount = components["schemas"]["StripeAccount"];

const STATES: Record<StripeAccount["state"], { tone: Tone; badge: string; words: string }> = {
  none: {
    tone: "quiet",
    badge: "Not set up",
    words: "Stripe asks for your name, address and bank account on its own pages, and pays out to your bank.",
  },
  opening: { tone: "warn", badge: "Being opened", words: "Stripe has not answered yet. Try again." },
  incomplete: {
    tone: "warn",
    badge: "Not finished",
    words: "Stripe needs more from you before you can be paid.",
  },
  pending: {
    tone: "warn",
    badge: "Being checked",
    words: "Stripe checks what you have entered. You are paid by Stripe as soon as it is done.",
  },
  enabled: { tone: "good", badge: "Ready", words: "You can be paid by Stripe." },
  rejected: {
    tone: "bad",
    badge: "Refused",
    words: "Stripe does not accept this account. Choose another payout method, or ask the company.",
  },
  lost: {
    tone: "bad",
    badge: "Not connected",
    words: "The company uses another account at Stripe now. Start again.",
  },
};

/** The fields that Stripe may miss, by parts of their names, in the order of Stripe's form. */
const MISSING: [part: RegExp, words: string][] = [
  [/tos_acceptance/, "your consent to Stripe's terms"],
  [/verification|document/, "a document that shows who you are"],
  [/external_account/, "a bank account"],
  [/address/, "your address"],
  [/\.dob/, "your date of birth"],
  [/id_number|ssn|tax_id/, "your tax or identity number"],
  [/_name/, "your name"],
  [/email|phone/, "your e-mail address or telephone number"],
];

/** `/portal/stripe`, where Stripe leads back to. */
export function StripePage() {
  const { query } = useLocation();
  return (
    <Page title="Be paid by Stripe">
      {query["link"] === "used" && (
        <p class="notice warn" role="status">
          That link was used already, or is too old. Go on with Stripe here.
        </p>
      )}
      <StripeCard missing={<Empty title="The company does not pay by Stripe" />} />
      <p>
        <a href="/portal/settings#tab=payout">All payout methods</a>
      </p>
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
          <section class="card stack narrow" aria-label="Stripe">
            <div class="row spread">
              <h2>Stripe</h2>
              <Badge tone={STATES[account.state].tone}>{STATES[account.state].badge}</Badge>
            </div>
            <p>{STATES[account.state].words}</p>
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
  const wordsOf = (name: string) => MISSING.find(([part]) => part.test(name))?.[1] ?? "further details";
  const words = [...new Set(missing.map(wordsOf))];
  return (
    <>
      {words.length > 0 && (
        <ul>
          {words.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {state === "enabled" && !hasPayouts && (
        <p class="notice warn">
          Your money stays at Stripe until you have given Stripe a bank account that it accepts.
        </p>
      )}
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
      action={isDone ? "Be paid by Stripe" : isNew ? "Set up Stripe" : "Go on with Stripe"}
      isDisabled={session.value?.is_read_only === true}
      onSubmit={async (body) => {
        const { link } = await answer(api.POST("/api/v2/affiliate/stripe_account", { body }));
        // Stripe's pages can't be shown in the frame of a company's product.
        if (link !== null) return void window.open(link, "_top");
        toast("You are paid by Stripe from now on.");
        onUsed();
      }}
    >
      {isNew && (
        <TextField
          form={form}
          name="country"
          label="Your country"
          hint="Two letters, such as DE or US. It can't be changed later."
          autocomplete="country"
          maxLength={2}
          required
        />
      )}
    </Form>
  );
}

async function load(signal: AbortSignal): Promise<StripeAccount> {
  const known = await answer(api.GET("/api/v2/affiliate/stripe_account", { signal }));
  if (!known.is_available || known.state === "none" || session.value?.is_read_only) return known;
  return answer(api.POST("/api/v2/affiliate/stripe_account/check", { signal }));
}
