import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Copyable } from "../../ui/feedback/copy.tsx";
import { ask, Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { ago } from "../../ui/format.ts";
import { Select, TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { session, type Role } from "../session/session.ts";

type User = components["schemas"]["User"];

const ROLES: [Role, string][] = [
  ["viewer", "Viewer: sees everything but secrets"],
  ["manager", "Manager: changes everything except users, keys, settings and payments"],
  ["owner", "Owner: may do everything"],
];
const NAMES: Record<Role, string> = { viewer: "Viewer", manager: "Manager", owner: "Owner" };

/** A user's sign-in link, shown until it is used. */
interface LinkOf {
  email: string;
  link: string | null;
}

/** `/admin/settings/users` */
export function Users() {
  const users = useLoad((signal) => answer(api.GET("/api/v2/company/users", { signal })));
  const isInviting = useSignal(false);
  const link = useSignal<LinkOf | null>(null);
  return (
    <Page
      title="Users"
      actions={
        <button class="button main" onClick={() => (isInviting.value = true)}>
          Invite a user
        </button>
      }
    >
      <Await loaded={users}>
        {(all) => (
          <ul class="stack entries">
            {all.map((user) => (
              <UserCard
                key={user.id}
                user={user}
                reload={users.reload}
                onLink={(made) => (link.value = made)}
              />
            ))}
          </ul>
        )}
      </Await>
      {isInviting.value && (
        <Invite
          onClose={() => (isInviting.value = false)}
          onInvited={async (made) => {
            isInviting.value = false;
            link.value = made;
            toast(`${made.email} was invited`);
            await users.reload();
          }}
        />
      )}
      {link.value && <ShowLink made={link.value} onClose={() => (link.value = null)} />}
    </Page>
  );
}

interface UserCardProps {
  user: User;
  reload: () => Promise<void>;
  onLink: (made: LinkOf) => void;
}

function UserCard({ user, reload, onLink }: UserCardProps) {
  const { id, email, name, has_password: hasPassword, has_second_factor: hasSecondFactor } = user;
  const params = { path: { id } };
  const change = async (next: Role) => {
    await tell(async () => {
      await answer(api.PUT("/api/v2/company/users/{id}", { params, body: { role: next } }));
      return `${name} is ${NAMES[next].toLowerCase()} now`;
    });
    await reload();
  };
  const reset = () =>
    tell(async () => {
      const made = await answer(api.POST("/api/v2/company/users/{id}/reset", { params, body: {} }));
      onLink({ email, link: made.link });
      return `${name} can choose a new password`;
    });
  const remove = async () => {
    const text = "They are signed out immediately and can't sign in any more.";
    if (!(await ask({ title: `Remove ${name}?`, text, action: `Remove ${name}`, isDanger: true }))) return;
    await tell(async () => {
      await answer(api.DELETE("/api/v2/company/users/{id}", { params }));
      return `${name} was removed`;
    });
    await reload();
  };
  return (
    <li class="card row spread">
      <div class="stack tight">
        <strong>
          {name} {id === session.value?.user.id && <small class="soft">(you)</small>}
        </strong>
        <span class="small soft">
          {name !== email && `${email} · `}
          {user.last_sign_in_at ? `signed in ${ago(user.last_sign_in_at)}` : "never signed in"}
        </span>
        {(!hasPassword || hasSecondFactor) && (
          <span class="row tight">
            {!hasPassword && <Badge tone="warn">Invited</Badge>}
            {hasSecondFactor && <Badge tone="good">Second factor</Badge>}
          </span>
        )}
      </div>
      <div class="row">
        <RoleOf user={user} onChange={change} />
        <button class="button little" onClick={() => void reset()}>
          New link
        </button>
        <button class="button little" onClick={() => void remove()}>
          Remove
        </button>
      </div>
    </li>
  );
}

function RoleOf({ user: { name, role }, onChange }: { user: User; onChange: (next: Role) => Promise<void> }) {
  return (
    <select
      class="input auto"
      aria-label={`Role of ${name}`}
      value={role}
      onChange={(event) => void onChange(event.currentTarget.value as Role)}
    >
      {ROLES.map(([each]) => (
        <option key={each} value={each} selected={each === role}>
          {NAMES[each]}
        </option>
      ))}
    </select>
  );
}

function Invite({ onClose, onInvited }: { onClose: () => void; onInvited: (made: LinkOf) => Promise<void> }) {
  const form = useForm({ email: "", role: "viewer" });
  return (
    <Dialog title="Invite a user" onClose={onClose}>
      <Form
        form={form}
        action="Invite"
        onSubmit={async ({ email, role }) => {
          const body = { email, role: role as Role };
          const { link } = await answer(api.POST("/api/v2/company/users", { body }));
          await onInvited({ email, link });
        }}
      >
        <TextField form={form} name="email" label="E-mail" type="email" required autoFocus />
        <Select form={form} name="role" label="Role" options={ROLES} />
      </Form>
    </Dialog>
  );
}

function ShowLink({ made: { email, link }, onClose }: { made: LinkOf; onClose: () => void }) {
  return (
    <Dialog title={`A link for ${email}`} onClose={onClose}>
      <div class="stack">
        <p>
          Anyone who opens this link can choose a password and sign in. It works once, for a day. Give it to{" "}
          {email} only.
        </p>
        {link === null ? <p>It was sent by e-mail.</p> : <Copyable text={link} of="the link" />}
        <div class="dialog-foot">
          <button class="button main" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}
