import type { ComponentChildren } from "preact";
import { Paste } from "../../ui/feedback/copy.tsx";
import { session } from "../session/session.ts";
import type { SetupSteps } from "./home-answer.ts";

interface Step {
  name: keyof SetupSteps;
  title: string;
  isOptional?: boolean;
  body: ComponentChildren;
}

/** The steps to the first customer. Each is ticked automatically. */
export function Checklist({ steps }: { steps: SetupSteps }) {
  const all = stepsFor(session.value?.account.id ?? "", location.origin);
  const done = all.filter(({ name }) => steps[name]).length;
  const next = all.find(({ name }) => !steps[name])?.name;
  return (
    <section class="card">
      <h2>Get your first customer through a promoter</h2>
      <p class="soft" aria-live="polite">
        {done} of {all.length} done. Steps tick themselves off while this page is open.
      </p>
      <ol class="steps">
        {all.map((step) => (
          <li key={step.name} class={`step ${steps[step.name] ? "done" : ""}`}>
            <details open={step.name === next}>
              <summary>
                <span class="step-mark" aria-hidden="true">
                  {steps[step.name] ? "✓" : ""}
                </span>
                <span>{step.title}</span>
                <span class="small soft">
                  {steps[step.name] ? "Done" : step.isOptional ? "Optional" : ""}
                </span>
              </summary>
              <div class="step-body">{step.body}</div>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsFor(accountId: string, origin: string): Step[] {
  return [
    { name: "name", title: "Name your program", body: <ChooseName /> },
    {
      name: "script",
      title: "Put the script on your site",
      body: <InsertScript origin={origin} accountId={accountId} />,
    },
    { name: "landing_page", title: "Choose where referral links lead", body: <SetLandingPage /> },
    { name: "reward", title: "Say what promoters earn", body: <ChooseReward /> },
    { name: "promoter", title: "Add a promoter", body: <AddPromoter /> },
    {
      name: "click",
      title: "Follow a referral link",
      body: <p>Open the promoter's link in a private window.</p>,
    },
    { name: "referral", title: "Record a sign-up", body: <RecordSignup origin={origin} /> },
    { name: "sale", title: "Record a sale", body: <RecordSale origin={origin} /> },
    { name: "webhook", title: "Receive events by webhook", isOptional: true, body: <AddWebhook /> },
    { name: "mail", title: "Send e-mails", isOptional: true, body: <SetUpMail /> },
  ];
}

function InsertScript({ origin, accountId }: { origin: string; accountId: string }) {
  return (
    <>
      <p>Paste this into the head of every page of your website.</p>
      <Paste
        of="the script"
        text={`<script async src="${origin}/svc.js" data-cid="${accountId}"></script>`}
      />
    </>
  );
}

function ChooseName() {
  return (
    <p>
      Promoters see your company as “{session.value?.account.shown_name}”, on the portal and in e-mails.{" "}
      <a href="/admin/settings/brand">Choose its name, logo and colour</a>
    </p>
  );
}

function SetLandingPage() {
  return (
    <p>
      Set the landing page of <a href="/admin/campaigns">your campaign</a>: the page that visitors see first.
    </p>
  );
}

function ChooseReward() {
  return (
    <p>
      Make <a href="/admin/rewards">a reward</a>, such as 20% of each sale, and choose it on the tab Rewards
      of <a href="/admin/campaigns">your campaign</a>. Without one, sales earn nothing.
    </p>
  );
}

function AddPromoter() {
  return (
    <p>
      Add yourself <a href="/admin/promoters">as a promoter</a> to try everything out.
    </p>
  );
}

function RecordSignup({ origin }: { origin: string }) {
  return (
    <>
      <p>On the page after the sign-up, or from your server:</p>
      <Paste of="the call in the page" text={`svc("referral", { email: "jane@example.com" });`} />
      <Paste
        of="the call from your server"
        text={`curl ${origin}/api/v1/track/signup \\\n  -H "X-API-KEY: your key" \\\n  -d email=jane@example.com -d tid=COOKIE__svc_tid`}
      />
    </>
  );
}

function RecordSale({ origin }: { origin: string }) {
  return (
    <>
      <p>Connect Stripe or Paddle, or report each payment from your server, in cents:</p>
      <Paste
        of="the call from your server"
        text={`curl ${origin}/api/v1/track/sale \\\n  -H "X-API-KEY: your key" \\\n  -d email=jane@example.com -d event_id=order-1 -d amount=10000`}
      />
    </>
  );
}

function AddWebhook() {
  return (
    <p>
      Tell your server about leads and commissions: <a href="/admin/settings/webhooks">add a webhook</a>.
    </p>
  );
}

function SetUpMail() {
  return (
    <p>
      Start the server with <code>SMTP_URL</code> and <code>MAIL_FROM</code>. Until then e-mails are held.{" "}
      <a href="/admin/settings/mail">What to set</a>
    </p>
  );
}
