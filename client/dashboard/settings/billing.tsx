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
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { count, dateTime, several } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { BillingEvents, useBillingEvents } from "./billing-events.tsx";

type Connection = components["schemas"]["BillingConnection"];
type Provider = Connection["provider"];

interface Words {
  name: string;
  /** Where the endpoint is entered at the provider. */
  where: string;
  secret: string;
  key: string;
}

const PROVIDERS: Record<Provider, Words> = {
  stripe: {
    name: "Stripe",
    where: "Developers › Webhooks › Add destination",
    secret: "Signing secret (whsec_…)",
    key: "Restricted key that may read (rk_…)",
  },
  paddle: {
    name: "Paddle",
    where: "Developer tools › Notifications › New destination",
    secret: "Secret key of the destination (pdl_ntfset_…)",
    key: "API key that may read (pdl_…)",
  },
};

/** `/admin/settings/billing`: sales that Stripe or Paddle report. */
export function Billing() {
  const loaded = useLoad(async (signal) => {
    const [connections, providers] = await Promise.all([
      answer(api.GET("/api/v2/company/billing", { signal })),
      answer(api.GET("/api/v2/company/billing/providers", { signal })),
    ]);
    return { connections, providers };
  });
  const events = useBillingEvents();
  return (
    <Page title="Billing">
      <Await loaded={loaded}>
        {({ connections, providers }) => (
          <div class="stack wide">
            <p class="soft">
              A connected provider reports payments, refunds and cancellations, so that nothing of your own
              has to.
            </p>
            {providers.map((setUp) => (
              <ProviderCard
                key={setUp.provider}
                setUp={setUp}
                connection={connections.find((each) => each.provider === setUp.provider) ?? null}
                reload={loaded.reload}
                reloadEvents={events.list.reload}
              />
            ))}
            {connections.length > 0 && <BillingEvents {...events} />}
          </div>
        )}
      </Await>
    </Page>
  );
}

interface CardProps {
  /** What to enter at the provider. */
  setUp: components["schemas"]["BillingProvider"];
  /** Null: not connected. */
  connection: Connection | null;
  reload: () => Promise<void>;
  reloadEvents: () => Promise<void>;
}

function ProviderCard({ setUp, connection, reload, reloadEvents }: CardProps) {
  const { provider, endpoint, event_types: types } = setUp;
  const { name, where } = PROVIDERS[provider];
  const isEntering = useSignal(false);
  const isSyncing = useSignal(false);
  return (
    <section class="card stack" aria-label={name}>
      <div class="row spread">
        <h2>{name}</h2>
        <State of={connection} />
      </div>
      <p>
        At {name}, under “{where}”, add this address and choose these events:
      </p>
      <Copyable text={endpoint} of={`the address for ${name}`} />
      <ul class="small">
        {types.map((type) => (
          <li key={type}>
            <code>{type}</code>
          </li>
        ))}
      </ul>
      {connection && <Facts of={connection} />}
      <div class="row">
        <button class="button" onClick={() => (isEntering.value = true)}>
          {connection === null ? `Connect ${name}` : `Replace the secrets of ${name}`}
        </button>
        {connection && (
          <button class="button" onClick={() => void sendTest(provider, reloadEvents)}>
            Send a test event<span class="unseen"> of {name}</span>
          </button>
        )}
        {connection?.has_api_key && (
          <button class="button" onClick={() => (isSyncing.value = true)}>
            Sync the gap<span class="unseen"> of {name}</span>
          </button>
        )}
        {connection && (
          <button class="button danger" onClick={() => void disconnect(provider, reload)}>
            Disconnect<span class="unseen"> {name}</span>
          </button>
        )}
      </div>
      {isEntering.value && (
        <Secrets
          provider={provider}
          isNew={connection === null}
          reload={reload}
          onClose={() => (isEntering.value = false)}
        />
      )}
      {isSyncing.value && (
        <Sync provider={provider} reload={reload} onClose={() => (isSyncing.value = false)} />
      )}
    </section>
  );
}

function State({ of }: { of: Connection | null }) {
  if (of === null) return <Badge>Not connected</Badge>;
  return of.mode === "live" ? (
    <Badge tone="good">Connected</Badge>
  ) : (
    <Badge tone="warn">Connected to the test mode</Badge>
  );
}

const COUNTED: Record<Connection["mode"], string> = {
  live: "Live ones. Events of the test mode are listed below, and count nothing.",
  test: "Those of the test mode. Live events are listed below, and count nothing.",
};

function Facts({ of }: { of: Connection }) {
  return (
    <dl class="facts">
      <dt>Last event</dt>
      <dd>
        {of.last_event_at === null
          ? `None from ${PROVIDERS[of.provider].name} yet. A test event that you send there shows whether events reach this server.`
          : dateTime(of.last_event_at)}
      </dd>
      <dt>Events that count</dt>
      <dd>{COUNTED[of.mode]}</dd>
      <dt>API key</dt>
      <dd>{of.has_api_key ? "Stored" : "None, so a gap can't be synced"}</dd>
      {of.refunds_waiting > 0 && (
        <>
          <dt>Waiting</dt>
          <dd>
            {several(of.refunds_waiting, "refund")} without a sale. Most belong to customers whom no promoter
            referred.
          </dd>
        </>
      )}
    </dl>
  );
}

interface DialogProps {
  provider: Provider;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Takes the secrets. They are never shown again. */
function Secrets({ provider, isNew, reload, onClose }: DialogProps & { isNew: boolean }) {
  const { name, secret, key } = PROVIDERS[provider];
  const form = useForm({ secret: "", api_key: "", mode: "" });
  return (
    <Dialog title={isNew ? `Connect ${name}` : `Replace the secrets of ${name}`} onClose={onClose}>
      <Form
        form={form}
        action="Save the secrets"
        onSubmit={async (given) => {
          const { secret, api_key, mode } = given;
          const body = {
            provider,
            secret,
            ...(api_key && { api_key }),
            ...(mode && { mode: mode as Connection["mode"] }),
          };
          await answer(api.POST("/api/v2/company/billing", { body }));
          toast(`${name} is connected`);
          onClose();
          await reload();
        }}
      >
        <TextField
          form={form}
          name="secret"
          type="password"
          label={secret}
          hint="It proves that events come from the provider. It is stored, and never shown again."
          autocomplete="off"
          required
        />
        <TextField
          form={form}
          name="api_key"
          type="password"
          label={`${key} (optional)`}
          hint={
            isNew
              ? "With it, events that did not arrive can be read later. It is never shown again."
              : "Leave it empty to keep the one that is stored."
          }
          autocomplete="off"
        />
        <Select
          form={form}
          name="mode"
          label="Events that count"
          options={[
            [
              "",
              isNew ? "As the API key says, otherwise live ones" : "As the API key says, otherwise as before",
            ],
            ["live", "Live ones"],
            ["test", "Those of the test mode, or of a sandbox"],
          ]}
          hint="Events of the other mode are listed, and count nothing."
        />
      </Form>
    </Dialog>
  );
}

type Synced = components["schemas"]["BillingSync"];

/** Reads events that did not arrive, and says what became of them. */
function Sync({ provider, reload, onClose }: DialogProps) {
  const { name } = PROVIDERS[provider];
  const form = useForm({ since: "" });
  const result = useSignal<Synced | null>(null);
  return (
    <Dialog title={`Sync the gap of ${name}`} onClose={onClose}>
      {result.value !== null && <Result of={result.value} />}
      <Form
        form={form}
        action="Read the events"
        onSubmit={async ({ since }) => {
          const body = { provider, ...(since && { since: new Date(since).toISOString() }) };
          result.value = await answer(api.POST("/api/v2/company/billing/sync", { body }));
          await reload();
        }}
      >
        <TextField
          form={form}
          name="since"
          type="date"
          label="Since (optional)"
          hint="At most 30 days ago. Without it, the last 3 days. Events that are known change nothing."
        />
      </Form>
    </Dialog>
  );
}

const OUTCOMES: [keyof Synced["outcomes"], string][] = [
  ["sale", "Sales recorded"],
  ["refund", "Refunds recorded"],
  ["cancellation", "Cancellations recorded"],
  ["signup", "Sign-ups recorded"],
  ["known", "Known before"],
  ["waiting", "Waiting for their payment or a rate"],
  ["ignored", "Nothing to record"],
  ["other_mode", "Of the other mode, not counted"],
];

function Result({ of: { events, outcomes, faults } }: { of: Synced }) {
  return (
    <div class="stack tight" role="status">
      <p>{several(events, "event was read", "events were read")}.</p>
      <dl class="facts">
        {OUTCOMES.filter(([outcome]) => outcomes[outcome] > 0).map(([outcome, words]) => (
          <>
            <dt key={outcome}>{words}</dt>
            <dd>{count(outcomes[outcome])}</dd>
          </>
        ))}
      </dl>
      {faults.length > 0 && (
        <ul class="small">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Tries everything except the provider itself. */
async function sendTest(provider: Provider, reload: () => Promise<void>): Promise<void> {
  await tell(async () => {
    const { outcome, reason } = await answer(
      api.POST("/api/v2/company/billing/test", { body: { provider } }),
    );
    await reload();
    const result = outcome === "refused" ? "was refused" : "arrived";
    return `The test event of ${PROVIDERS[provider].name} ${result}. ${reason ?? ""}`;
  });
}

async function disconnect(provider: Provider, reload: () => Promise<void>): Promise<void> {
  const { name } = PROVIDERS[provider];
  const title = `Disconnect ${name}`;
  const text = "Its events are refused from then on. What they have recorded stays.";
  if (!(await ask({ title, text, action: title, isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/billing", { params: { query: { provider } } }));
    await reload();
    return `${name} is disconnected`;
  });
}
