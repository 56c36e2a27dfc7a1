import { useSignal } from "@preact/signals";
import { Copyable, Paste } from "../../ui/feedback/copy.tsx";
import { Tabs } from "../../ui/feedback/tabs.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { may, session } from "../session/session.ts";
import { ApiKeys } from "./api-keys.tsx";
import { ScriptCheck } from "./script-check.tsx";
import { backends, scriptTag } from "./snippets.ts";

/** `/admin/settings/integration` */
export function Integration() {
  const accountId = session.value?.account.id ?? "";
  const server = location.origin;
  return (
    <Page title="Integration">
      <div class="stack wide">
        <YourAccount accountId={accountId} server={server} />
        {may("owner") && <ApiKeys />}
        <SiteScript accountId={accountId} server={server} />
        <BackendCalls server={server} />
      </div>
    </Page>
  );
}

interface PartProps {
  accountId: string;
  /** The server's origin. */
  server: string;
}

function YourAccount({ accountId, server }: PartProps) {
  return (
    <section class="card">
      <h2>Your account</h2>
      <dl class="facts">
        <dt>Account id</dt>
        <dd>
          <Copyable text={accountId} of="the account id" />
        </dd>
        <dt>Address of the API</dt>
        <dd>
          <Copyable text={`${server}/api`} of="the address of the API" />
        </dd>
      </dl>
    </section>
  );
}

function SiteScript({ accountId, server }: PartProps) {
  return (
    <section class="card stack">
      <h2>1. The script on your site</h2>
      <p>Paste this tag into every page that promoters link to, and into those where people sign up.</p>
      <Paste text={scriptTag(server, accountId)} of="the script tag" />
      <ScriptCheck />
    </section>
  );
}

function BackendCalls({ server }: Pick<PartProps, "server">) {
  const shown = useSignal("curl");
  return (
    <section class="card stack">
      <h2>2. Sign-ups from your backend</h2>
      <p>
        Send each sign-up from your server, with the visitor's id from the cookie. The key stays on the
        server.
      </p>
      <Tabs
        label="Languages"
        shown={shown.value}
        onShow={(id) => (shown.value = id)}
        tabs={backends(server).map(({ name, text }) => ({
          id: name,
          title: name,
          panel: () => <Paste text={text} of={`the call in ${name}`} />,
        }))}
      />
      <p>
        Sales go to <code>track/sale</code> in the same way. <a href="/docs">All operations</a>
      </p>
    </section>
  );
}
