import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { ask, Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { requiredCents, typedAmount } from "../../ui/form/amount.ts";
import { TextArea, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { may } from "../session/session.ts";
import { PROVIDERS } from "./words.ts";

type Connection = components["schemas"]["PaymentConnection"];
type Name = Connection["provider"];

interface Words {
  /** What it pays, and to whom. */
  pays: string;
  secret: string;
  /** The field that it needs besides the secret. */
  id?: ["client_id" | "profile_id" | "campaign_id", label: string];
  /** The field that its events need, and where it is found. */
  event: ["webhook_id" | "webhook_key", label: string, hint: string];
}

const WORDS: Record<Name, Words> = {
  paypal: {
    pays: "Pays payout methods of the kind PayPal.",
    secret: "Secret of your app",
    id: ["client_id", "Client id of your app"],
    event: ["webhook_id", "Webhook id", "Let the webhook post the events PAYMENT.PAYOUTS-ITEM."],
  },
  stripe: {
    pays: "Promoters set up an account at Stripe from their portal, and get transfers to it.",
    secret: "Restricted key, which may write transfers, accounts and account links, and read the balance",
    event: [
      "webhook_key",
      "Signing secrets of the webhooks",
      "One webhook for transfers, and one for account, capability and payout events of connected accounts. Separate their secrets by a blank.",
    ],
  },
  wise: {
    pays: "Makes drafts for payout methods of the kind Wise. You fund them at Wise.",
    secret: "API token",
    id: ["profile_id", "Id of the profile that pays"],
    event: ["webhook_key", "Public key", "Leave it empty: the server knows the key that Wise publishes."],
  },
  tremendous: {
    pays: "Sends gift cards. The portal does not offer them: set each promoter's address by the API, as a payout method of the kind “custom” with the detail “gift_card_email”.",
    secret: "API key",
    id: ["campaign_id", "Campaign that chooses the gift cards"],
    event: ["webhook_key", "Private key of the webhook", "Let it post the events ORDERS and REWARDS."],
  },
};

const NAMES = Object.keys(WORDS) as Name[];

/** The providers that send payouts, and what connects them. */
export function Providers() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/company/payment_connections", { signal })));
  const edited = useSignal<Name | null>(null);
  const priced = useSignal<Connection | null>(null);
  return (
    <div class="stack">
      <p class="soft">
        A connected provider sends the money of a batch and follows it until it arrives. Without one, you
        upload the batch's file.
      </p>
      <Await loaded={loaded}>
        {(connections) => (
          <ul class="stack entries">
            {NAMES.map((name) => (
              <ProviderCard
                key={name}
                name={name}
                connection={connections.find(({ provider }) => provider === name) ?? null}
                reload={loaded.reload}
                onEdit={() => (edited.value = name)}
                onPrice={(connection) => (priced.value = connection)}
              />
            ))}
          </ul>
        )}
      </Await>
      {priced.value && (
        <FeeDialog
          connection={priced.value}
          onClose={() => (priced.value = null)}
          onSaved={async () => {
            priced.value = null;
            await loaded.reload();
          }}
        />
      )}
      {edited.value && (
        <ConnectDialog
          name={edited.value}
          onClose={() => (edited.value = null)}
          onSaved={async () => {
            edited.value = null;
            await loaded.reload();
          }}
        />
      )}
    </div>
  );
}

interface ProviderCardProps {
  name: Name;
  connection: Connection | null;
  reload: () => Promise<void>;
  onEdit: () => void;
  onPrice: (connection: Connection) => void;
}

function ProviderCard({ name, connection, reload, onEdit, onPrice }: ProviderCardProps) {
  const { pays } = WORDS[name];
  const title = PROVIDERS[name];
  const hasEvents = connection !== null && (connection.has_webhook_key || connection.webhook_id !== null);
  const remove = async () => {
    const text = "The server stops asking about payments that are under way. You must decide about them.";
    const action = "Delete the credentials";
    if (!(await ask({ title: `Disconnect ${title}?`, text, action, isDanger: true }))) return;
    await tell(async () => {
      const params = { query: { provider: name } };
      await answer(api.DELETE("/api/v2/company/payment_connections", { params }));
      return `${title} was disconnected`;
    });
    await reload();
  };
  return (
    <li class="card stack tight">
      <div class="row spread">
        <h2>{title}</h2>
        {connection && <Badge tone="good">Connected</Badge>}
      </div>
      <p class="soft">{pays}</p>
      {connection && (
        <>
          <p class="small">
            {hasEvents || name === "wise"
              ? "Let its webhook post to this address:"
              : "The server polls it. Let a webhook post to this address, and connect again with its key:"}
          </p>
          <Copyable text={connection.endpoint} of={`the address of ${title}'s webhook`} />
        </>
      )}
      {may("owner") && (
        <div class="row">
          <button class="button little" onClick={onEdit}>
            {connection ? `Replace ${title}'s credentials` : `Connect ${title}`}
          </button>
          {connection && (
            <>
              {name !== "wise" && (
                <button class="button little" onClick={() => onPrice(connection)}>
                  Fees of {title}
                </button>
              )}
              <button class="button plain little" onClick={() => void remove()}>
                Disconnect {title}
              </button>
            </>
          )}
        </div>
      )}
    </li>
  );
}

function ConnectDialog({
  name,
  onClose,
  onSaved,
}: {
  name: Name;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const { secret, id, event } = WORDS[name];
  const title = PROVIDERS[name];
  const form = useForm({ secret: "", id: "", event: "" });
  return (
    <Dialog title={`Connect ${title}`} onClose={onClose}>
      <Form
        form={form}
        action={`Connect ${title}`}
        onSubmit={async (given) => {
          const body = {
            provider: name,
            secret: given.secret,
            ...(id && { [id[0]]: given.id }),
            ...(given.event.trim() !== "" && { [event[0]]: given.event }),
          };
          await answer(api.POST("/api/v2/company/payment_connections", { body }));
          toast(`${title} is connected`);
          await onSaved();
        }}
      >
        {id && <TextField form={form} name="id" label={id[1]} autocomplete="off" required />}
        <TextField form={form} name="secret" label={secret} type="password" autocomplete="off" required />
        <TextArea form={form} name="event" label={`${event[1]} (optional)`} hint={event[2]} rows={2} />
      </Form>
    </Dialog>
  );
}

/** What a provider charges, for estimates. Wise has quotes. */
function FeeDialog({
  connection: { provider, fee_rule: rule },
  onClose,
  onSaved,
}: {
  connection: Connection;
  onClose: () => void;
  onSaved: () => Promise<void>;
}) {
  const title = PROVIDERS[provider];
  const form = useForm({
    percent: rule ? String(rule.percent) : "",
    fixed: rule ? typedAmount(rule.fixed) : "",
    max: rule?.max == null ? "" : typedAmount(rule.max),
  });
  return (
    <Dialog title={`Fees of ${title}`} onClose={onClose}>
      <Form
        form={form}
        action="Save the fees"
        onSubmit={async ({ percent, fixed, max }) => {
          const isKnown = percent !== "" || fixed !== "";
          const fee_rule = isKnown
            ? {
                percent: Number(percent),
                fixed: fixed === "" ? 0 : requiredCents("fixed", fixed),
                max: max === "" ? null : requiredCents("max", max),
              }
            : null;
          const body = { provider, fee_rule };
          await answer(api.PUT("/api/v2/company/payment_connections", { body }));
          toast("The fees are saved");
          await onSaved();
        }}
      >
        <p class="soft">
          What {title} charges for a payment, by your agreement. It is used for estimates only.
        </p>
        <TextField form={form} name="percent" label="Percentage" inputMode="decimal" />
        <TextField form={form} name="fixed" label="Fixed part" inputMode="decimal" />
        <TextField form={form} name="max" label="At most (optional)" inputMode="decimal" />
      </Form>
    </Dialog>
  );
}
