import Bowser from "bowser";
import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { ago } from "../../ui/format.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { begin, session } from "../session/session.ts";
import { SecondFactor } from "./second-factor.tsx";

/** `/admin/settings/profile`: the user's own name, password, second factor and sessions. */
export function Profile() {
  return (
    <Page title="Your profile">
      <div class="stack wide">
        <NameForm />
        <PasswordForm />
        <SecondFactor />
        <Sessions />
      </div>
    </Page>
  );
}

function NameForm() {
  const form = useForm({ name: session.value?.user.name ?? "" });
  return (
    <section class="card stack">
      <h2>Name</h2>
      <Form
        form={form}
        action="Save the name"
        onSubmit={async ({ name }) => {
          begin(await answer(api.PUT("/api/v2/company/session", { body: { name } })));
          toast("Your name was saved");
        }}
      >
        <TextField form={form} name="name" label="Your name" hint={session.value?.user.email} required />
      </Form>
    </section>
  );
}

function PasswordForm() {
  const form = useForm({ current_password: "", password: "" });
  return (
    <section class="card stack">
      <h2>Password</h2>
      <Form
        form={form}
        action="Change the password"
        onSubmit={async (body) => {
          begin(await answer(api.PUT("/api/v2/company/session/password", { body })));
          form.values.current_password.value = "";
          form.values.password.value = "";
          toast("Your password was changed. You are signed out everywhere else.");
        }}
      >
        <TextField
          form={form}
          name="current_password"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
        <TextField
          form={form}
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          required
        />
      </Form>
    </section>
  );
}

/** `Chrome on Linux`, as far as the `User-Agent` tells. */
function browserOf(device: string | null): string {
  const { browser, os } = Bowser.parse(device ?? " ");
  return [browser.name ?? "A browser", os.name].filter(Boolean).join(" on ");
}

type OwnSession = components["schemas"]["OwnSession"];

/** Sessions that are shown before the rest is asked for. */
const FIRST_SESSIONS = 5;

function Sessions() {
  const sessions = useLoad((signal) => answer(api.GET("/api/v2/company/session/sessions", { signal })));
  const isAll = useSignal(false);
  const end = async (id: number) => {
    await tell(async () => {
      await answer(api.DELETE("/api/v2/company/session/sessions/{id}", { params: { path: { id } } }));
      return "It was signed out";
    });
    await sessions.reload();
  };
  return (
    <section class="card stack">
      <h2>Where you are signed in</h2>
      <Await loaded={sessions}>
        {(all) => (
          <>
            <ul class="stack tight entries">
              {currentFirst(all)
                .slice(0, isAll.value ? all.length : FIRST_SESSIONS)
                .map((session) => (
                  <SessionEntry key={session.id} session={session} end={end} />
                ))}
            </ul>
            {!isAll.value && all.length > FIRST_SESSIONS && (
              <div>
                <button class="button little" onClick={() => (isAll.value = true)}>
                  Show all {all.length}
                </button>
              </div>
            )}
          </>
        )}
      </Await>
    </section>
  );
}

function currentFirst(sessions: OwnSession[]): OwnSession[] {
  return [
    ...sessions.filter(({ is_current: isCurrent }) => isCurrent),
    ...sessions.filter(({ is_current: isCurrent }) => !isCurrent),
  ];
}

function SessionEntry({ session, end }: { session: OwnSession; end: (id: number) => Promise<void> }) {
  return (
    <li class="row spread">
      <span>
        {browserOf(session.device)} <small class="soft">seen {ago(session.seen_at)}</small>
      </span>
      {session.is_current ? (
        <Badge tone="good">Here</Badge>
      ) : (
        <button class="button little" onClick={() => void end(session.id)}>
          Sign out there
        </button>
      )}
    </li>
  );
}
