import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad, useRepeat } from "../../ui/api/load.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge, type Tone } from "../../ui/feedback/badge.tsx";
import { Paste } from "../../ui/feedback/copy.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { count } from "../../ui/format.ts";
import { Page } from "../../ui/shell/page.tsx";
import { EMAIL_KINDS, EMAILS } from "../email-kinds.ts";
import { may, session } from "../session/session.ts";

type Mail = components["schemas"]["Mail"];

/** E-mails are sent within seconds. */
const LOOK_MS = 5_000;
/** How many campaigns are shown. */
const MOST_CAMPAIGNS = 100;

const SET_UP = `SMTP_URL=smtps://user:password@smtp.example.com:465
MAIL_FROM="Acme <partners@example.com>"
# then start the server again`;

const STATES: { name: keyof Mail["emails"]; words: string; tone: Tone }[] = [
  { name: "pending", words: "waiting to be sent", tone: "quiet" },
  { name: "retrying", words: "failed and will be retried", tone: "warn" },
  { name: "held", words: "held until mail is set up", tone: "warn" },
  { name: "failed", words: "given up", tone: "bad" },
  { name: "delivered", words: "sent in the last 30 days", tone: "good" },
];

/** `/admin/settings/mail` */
export function MailSettings() {
  const mail = useLoad((signal) => answer(api.GET("/api/v2/company/mail", { signal })));
  useRepeat(mail.reload, LOOK_MS);
  return (
    <Page title="Mail server">
      <Await loaded={mail}>
        {(found) => (
          <div class="stack wide">
            <Server mail={found} />
            <Queue emails={found.emails} />
            <Campaigns />
          </div>
        )}
      </Await>
    </Page>
  );
}

function Server({ mail }: { mail: Mail }) {
  if (!mail.is_set_up) {
    return (
      <section class="card stack">
        <div class="row spread">
          <h2>Mail server</h2>
          <Badge tone="warn">Not set up</Badge>
        </div>
        <p>The server sends no e-mails yet. Its operator must set these and restart it:</p>
        <Paste text={SET_UP} of="the settings for mail" />
        <p class="small soft">E-mails are held until then, and sent afterwards.</p>
      </section>
    );
  }
  return (
    <section class="card stack">
      <div class="row spread">
        <h2>Mail server</h2>
        <Badge tone="good">Set up</Badge>
      </div>
      <dl class="facts">
        <dt>Server</dt>
        <dd>{mail.server}</dd>
        <dt>Sender</dt>
        <dd>
          {mail.sender} {may("owner") && <a href="/admin/settings/account">Change</a>}
        </dd>
      </dl>
      {may("manager") && <Test />}
    </section>
  );
}

/** Sends an e-mail to the user, and shows the mail server's answer. */
function Test() {
  const result = useSignal<components["schemas"]["MailTest"] | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const isBusy = useSignal(false);
  const send = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    result.value = null;
    refusal.value = null;
    try {
      result.value = await answer(api.POST("/api/v2/company/mail/test"));
    } catch (error) {
      refusal.value = asRefusal(error);
    }
    isBusy.value = false;
  };
  return (
    <div class="stack tight">
      <p class="small soft">The test goes to you, {session.value?.user.email}.</p>
      <div>
        <button class="button" aria-disabled={isBusy.value} onClick={() => void send()}>
          {isBusy.value ? "Sending …" : "Send a test e-mail"}
        </button>
      </div>
      <div aria-live="polite">
        {refusal.value && <Notice refusal={refusal.value} />}
        {result.value?.sent && <p>The mail server accepted it. Check your inbox.</p>}
        {result.value?.sent === false && (
          <div class="notice bad">
            <span>The mail server did not accept it:</span>
            <code class="said">{result.value.error}</code>
          </div>
        )}
      </div>
    </div>
  );
}

function Queue({ emails }: { emails: Mail["emails"] }) {
  return (
    <section class="card stack">
      <h2>E-mails</h2>
      <ul class="stack tight entries">
        {STATES.map(({ name, words, tone }) => (
          <li key={name} class="row tight">
            <Badge tone={emails[name] === 0 ? "quiet" : tone}>{count(emails[name])}</Badge> {words}
          </li>
        ))}
      </ul>
      {emails.failed > 0 && (
        <p class="small soft">
          <code>tidemark mail retry {session.value?.account.id}</code> sends those again that were given up.
        </p>
      )}
    </section>
  );
}

/** Which e-mails promoters get, by campaign. */
function Campaigns() {
  const campaigns = useLoad((signal) => {
    const query = { per_page: MOST_CAMPAIGNS };
    return page(api.GET("/api/v2/company/campaigns", { params: { query }, signal }));
  });
  return (
    <section class="card stack">
      <h2>What promoters get</h2>
      <Await loaded={campaigns}>
        {({ rows, total }) => (
          <>
            <dl class="facts">
              {rows.map(({ id, name, emails }) => (
                <>
                  <dt>
                    <a href={`/admin/campaigns/${id}#tab=emails`}>{name}</a>
                  </dt>
                  <dd>
                    {EMAIL_KINDS.filter((kind) => emails[kind])
                      .map((kind) => EMAILS[kind].label)
                      .join(", ") || "No e-mails"}
                  </dd>
                </>
              ))}
            </dl>
            <p class="small soft">Links to sign in and to set a password are always sent.</p>
            {total > rows.length && <p class="small soft">The others are on the page of campaigns.</p>}
          </>
        )}
      </Await>
    </section>
  );
}
