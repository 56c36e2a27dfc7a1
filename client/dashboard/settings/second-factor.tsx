import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { Copyable, Paste } from "../../ui/feedback/copy.tsx";
import { QrCode } from "../../ui/feedback/qr-code.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm, type FormState } from "../../ui/form/form.tsx";
import { begin, findSession, session } from "../session/session.ts";

/** Turns the second factor on and off. `onSetUp` is called when the user has kept the recovery codes. */
export function SecondFactor({ onSetUp }: { onSetUp?: () => void }) {
  const begun = useSignal<Begun | null>(null);
  const codes = useSignal<string[] | null>(null);
  if (codes.value !== null) {
    const done = () => {
      codes.value = null;
      onSetUp?.();
    };
    return <RecoveryCodes codes={codes.value} onDone={done} />;
  }
  return (
    <section class="card stack">
      <h2>Second factor</h2>
      {session.value?.user.has_second_factor ? (
        <TurnOff />
      ) : begun.value === null ? (
        <Begin onBegun={(made) => (begun.value = made)} />
      ) : (
        <Confirm
          begun={begun.value}
          onConfirmed={async (made) => {
            begun.value = null;
            codes.value = made;
            await findSession();
          }}
        />
      )}
    </section>
  );
}

/** The key for the authenticator app, alone and in a URL with the account's name. */
interface Begun {
  secret: string;
  address: string;
}

function Begin({ onBegun }: { onBegun: (begun: Begun) => void }) {
  const form = useForm({ current_password: "" });
  return (
    <Form
      form={form}
      action="Set it up"
      onSubmit={async (body) => {
        onBegun(await answer(api.POST("/api/v2/company/session/second_factor", { body })));
      }}
    >
      <p>Besides the password, signing in then needs a code from an app on your phone.</p>
      <YourPassword form={form} />
    </Form>
  );
}

function YourPassword({ form }: { form: FormState<Record<"current_password", string>> }) {
  return (
    <TextField
      form={form}
      name="current_password"
      label="Your password"
      type="password"
      autocomplete="current-password"
      required
    />
  );
}

function Confirm({
  begun: { secret, address },
  onConfirmed,
}: {
  begun: Begun;
  onConfirmed: (codes: string[]) => Promise<void>;
}) {
  const form = useForm({ code: "" });
  return (
    <Form
      form={form}
      action="Turn it on"
      onSubmit={async (body) => {
        const made = await answer(api.POST("/api/v2/company/session/second_factor/confirm", { body }));
        await onConfirmed(made.recovery_codes);
      }}
    >
      <p>Scan this with the app on your phone, then enter the code that the app shows.</p>
      <QrCode text={address} label="The key, to scan" />
      <div class="stack tight small soft">
        <p>
          No camera? <a href={address}>Open the app on this device</a>, or enter this key in it:
        </p>
        <Copyable text={secret} of="the key" />
      </div>
      <TextField
        form={form}
        name="code"
        label="Code"
        inputMode="numeric"
        autocomplete="one-time-code"
        required
      />
    </Form>
  );
}

function TurnOff() {
  const form = useForm({ current_password: "" });
  return (
    <Form
      form={form}
      action="Turn it off"
      isDanger
      onSubmit={async (body) => {
        begin(await answer(api.DELETE("/api/v2/company/session/second_factor", { body })));
        toast("The second factor is off");
      }}
    >
      <p>It is on. Signing in needs a code from your app.</p>
      <YourPassword form={form} />
    </Form>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <section class="card stack">
      <h2>Keep these codes</h2>
      <p>Each of them signs you in once if your phone is lost. They are shown only now.</p>
      <Paste text={codes.join("\n")} of="the recovery codes" />
      <div>
        <button class="button main" onClick={onDone}>
          I have kept them
        </button>
      </div>
    </section>
  );
}
