import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import { useLoad, useRepeat } from "../../ui/api/load.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { toast } from "../../ui/feedback/toast.tsx";
import { date, several } from "../../ui/format.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { may } from "../session/session.ts";

type Switch = components["schemas"]["Switch"];
type StepName = Switch["steps"][number]["name"];

/** Steps are ticked while the page is open. */
const LOOK_MS = 10_000;

const STEPS: Record<StepName, { title: string; body: ComponentChildren }> = {
  records: {
    title: "Bring your records",
    body: (
      <p>
        <a href="/admin/settings/come-over">Move here</a> from Rewardful, FirstPromoter, Tolt, PartnerStack or
        Dub, or <a href="/admin/settings/import">import</a> CSV files of any other program. The operator of
        the server can also use <code>tidemark migrate</code> and <code>tidemark import-csv</code>.
      </p>
    ),
  },
  payout_methods: {
    title: "Know where to pay",
    body: <p>Promoters enter their payout method in the portal, or you enter it on the promoter's page.</p>,
  },
  mail: {
    title: "Let the server send e-mails",
    body: (
      <p>
        See <a href="/admin/settings/mail">Mail</a>. Promoters sign in by links that are mailed to them.
      </p>
    ),
  },
  webhook: {
    title: "Point your webhooks here",
    body: (
      <p>
        Systems that listened to the other program listen to <a href="/admin/settings/webhooks">webhooks</a>{" "}
        from here.
      </p>
    ),
  },
  billing: {
    title: "Connect Stripe or Paddle",
    body: (
      <p>
        Renewals then arrive by themselves: the provider's first event ticks this step. If your own server
        reports sales, tick it by hand.
      </p>
    ),
  },
  server_call: {
    title: "Report sign-ups and sales from your server",
    body: (
      <p>
        The first call with your API key ticks this step.{" "}
        <a href="/admin/settings/integration">Integration</a> has the calls to paste.
      </p>
    ),
  },
  script: {
    title: "Put the script on your site",
    body: (
      <p>
        <a href="/admin/settings/integration">Integration</a> has the tag. It may stand beside the other
        program's for some days.
      </p>
    ),
  },
  old_link: {
    title: "See an old link work",
    body: (
      <p>
        Open a promoter's old link in a private window. If old links go through the other program's domain,
        give your promoters new ones below, and tick this step.
      </p>
    ),
  },
  renewal: {
    title: "See an imported customer pay again",
    body: (
      <p>
        The first sale of a customer who came along, and that gives their promoter a commission, ticks this
        step. If customers pay and it stays open, the campaign lacks a <a href="/admin/rewards">reward</a>, or
        the reward is over for them.
      </p>
    ),
  },
  old_script: {
    title: "Remove the other program's script from your site",
    body: <p>The server can't see that: tick this step when it is gone, and end the other program.</p>,
  },
};

/** `/admin/settings/switch` */
export function SwitchPage() {
  const loaded = useLoad((signal) => answer(api.GET("/api/v2/company/switch", { signal })));
  useRepeat(loaded.reload, LOOK_MS);
  return (
    <Page title="Your switch in ten steps">
      <Await loaded={loaded}>
        {(found) => (
          <div class="stack wide">
            <Steps found={found} reload={loaded.reload} />
            {may("manager") && <NewLinks found={found} reload={loaded.reload} />}
          </div>
        )}
      </Await>
    </Page>
  );
}

interface PartProps {
  found: Switch;
  reload: () => Promise<void>;
}

function Steps({ found: { steps }, reload }: PartProps) {
  const isDone = (step: Switch["steps"][number]) => step.is_seen || step.is_ticked;
  const next = steps.find((step) => !isDone(step))?.name;
  const tick = async (name: StepName, isTicked: boolean) => {
    const others = steps.filter((step) => step.is_ticked && step.name !== name).map((step) => step.name);
    const body = { ticked: isTicked ? [...others, name] : others };
    await tell(async () => {
      await answer(api.PUT("/api/v2/company/switch", { body }));
      return isTicked ? "The step is ticked" : "The step is open again";
    });
    await reload();
  };
  return (
    <section class="card">
      <h2>From another program to here</h2>
      <p class="soft" aria-live="polite">
        {steps.filter(isDone).length} of {steps.length} done. Steps tick themselves off while this page is
        open.
      </p>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.name} class={`step ${isDone(step) ? "done" : ""}`}>
            <details open={step.name === next}>
              <summary>
                <span class="step-mark" aria-hidden="true">
                  {isDone(step) ? "✓" : ""}
                </span>
                <span>{STEPS[step.name].title}</span>
                <span class="small soft">
                  {step.is_seen ? "Seen" : step.is_ticked ? "Ticked by hand" : ""}
                </span>
              </summary>
              <div class="step-body">
                {STEPS[step.name].body}
                {!step.is_seen && may("manager") && (
                  <div>
                    <button class="button little" onClick={() => void tick(step.name, !step.is_ticked)}>
                      {step.is_ticked ? "Not done yet" : "Tick by hand"}
                      <span class="unseen">: {STEPS[step.name].title}</span>
                    </button>
                  </div>
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function NewLinks({ found, reload }: PartProps) {
  return (
    <section class="card stack">
      <h2>New links for promoters</h2>
      <p>
        Links to your own site keep working. Those through the other program's domain end with it: use the
        list of redirects, and send every promoter their new link.
      </p>
      <Redirects />
      <MailLinks found={found} reload={reload} />
    </section>
  );
}

function Redirects() {
  const form = useForm({ old_start: "" });
  return (
    <Form
      form={form}
      action="Download the list of links"
      onSubmit={async ({ old_start }) => {
        const params = { query: old_start === "" ? {} : { old_start } };
        await answer(api.GET("/api/v2/company/exports/links", { params, fetch: toDisk }));
        toast("The links are being downloaded");
      }}
    >
      <TextField
        form={form}
        name="old_start"
        type="url"
        label="What old links begin with"
        placeholder="https://acme.partnerlinks.io/"
        hint="The ref id follows it. Leave it empty to list only new links."
      />
    </Form>
  );
}

function MailLinks({ found, reload }: PartProps) {
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const send = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      const would = await answer(api.POST("/api/v2/company/switch/mail_links", { body: { dry_run: true } }));
      const text = `${several(would.unsubscribed_count, "promoter")} unsubscribed, ${would.mailed_before_count} got it before, and ${would.without_link_count} can't use a link. They get nothing.`;
      const title = `Send ${several(would.mailed_count, "promoter")} their new link?`;
      const isSure =
        would.mailed_count > 0 &&
        (await ask({ title, text, action: `Send ${several(would.mailed_count, "e-mail")}` }));
      if (would.mailed_count === 0) toast("All promoters already have their new link");
      if (isSure) {
        const done = await answer(
          api.POST("/api/v2/company/switch/mail_links", { body: { dry_run: false } }),
        );
        toast(`${several(done.mailed_count, "e-mail")} will be sent`);
        await reload();
      }
    } catch (error) {
      refusal.value = asRefusal(error);
    }
    isBusy.value = false;
  };
  return (
    <div class="stack tight">
      {refusal.value && <Notice refusal={refusal.value} />}
      <div>
        <button class="button" aria-disabled={isBusy.value} onClick={() => void send()}>
          E-mail promoters their new links
        </button>
      </div>
      <p class="small soft">
        {found.links_mailed_at === null
          ? "Each promoter gets it once. Unsubscribed promoters are skipped."
          : `Sent to ${several(found.links_mailed_count, "promoter")}, last on ${date(found.links_mailed_at)}. Each promoter gets it only once.`}
      </p>
    </div>
  );
}
