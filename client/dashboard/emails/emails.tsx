import { answer, api, made } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { at } from "../../ui/base.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { ask } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { count } from "../../ui/format.ts";
import { useFilters } from "../../ui/fragment.ts";
import { Page } from "../../ui/shell/page.tsx";
import { useList } from "../../ui/table/list.ts";
import { Table, type Column } from "../../ui/table/table.tsx";
import { MailNotice } from "../mail-notice.tsx";
import { may } from "../session/session.ts";
import { isInstead, loadEmails, loadTriggers, TRIGGERS, type Email, type Trigger } from "./query.ts";

const COLUMNS: Column<Email>[] = [
  { id: "name", title: "Name", cell: ({ id, name }) => <a href={at(`/admin/emails/${id}`)}>{name}</a> },
  { id: "trigger", title: "Sent for", cell: (email) => <SentFor of={email} /> },
  {
    id: "campaigns",
    title: "Campaigns",
    cell: ({ allowed_campaigns: allowed }) => allowed.map(({ name }) => name).join(", ") || "All",
  },
  { id: "sent", title: "Delivered", isNumber: true, cell: (email) => count(email.sent_count) },
];

/** `/admin/emails`: the e-mails that promoters get. */
export function Emails() {
  const filters = useFilters({ page: "1", sort: "" });
  const list = useList(filters, ({ number }, signal) => loadEmails(number, signal));
  return (
    <Page
      title="E-mails"
      actions={
        may("manager") && (
          <>
            <a class="button" href={at("/admin/emails/frame")}>
              Edit the frame
            </a>
            <a class="button main" href={at("/admin/emails/new")}>
              Write an e-mail
            </a>
          </>
        )
      }
    >
      <div class="stack">
        <MailNotice instead="What you write now is sent later." />
        <BuiltIn />
        <Table
          caption="Your own e-mails"
          columns={may("manager") ? [...COLUMNS, actionsOf(list.reload)] : COLUMNS}
          list={list}
          empty={
            <Empty title="No e-mails of your own yet">
              <p>Promoters get the built-in texts. Edit one of them, or write tips and news.</p>
              {may("manager") && (
                <a class="button" href={at("/admin/emails/new")}>
                  Write an e-mail
                </a>
              )}
            </Empty>
          }
        />
      </div>
    </Page>
  );
}

function SentFor({ of: { trigger } }: { of: Email }) {
  const { delay_value: delay, delay_interval: unit } = trigger.settings;
  return (
    <span class="row tight">
      {TRIGGERS[trigger.trigger_on].label}
      {!!delay && `, ${count(delay)} ${unit}${delay === 1 ? "" : "s"} later`}
      {!trigger.enabled && trigger.trigger_on !== "broadcast" && <Badge tone="quiet">Off</Badge>}
    </span>
  );
}

/** The e-mails that promoters get without any work, each with its text. */
function BuiltIn() {
  const loaded = useLoad(loadBuiltIn);
  return (
    <section class="card stack">
      <h2>Built-in e-mails</h2>
      <p class="small soft">
        Each campaign says which of them it sends. Your own text takes the place of a built-in one.
      </p>
      <Await loaded={loaded}>
        {(all) => (
          <ul class="stack entries">
            {all.map(({ trigger, own }) => (
              <li key={trigger} class="row spread" style={{ flexWrap: "nowrap" }}>
                <span>
                  {TRIGGERS[trigger].label} {own && <Badge tone="good">Your own text</Badge>}
                  <br />
                  <span class="small soft">{TRIGGERS[trigger].hint}</span>
                </span>
                {may("manager") && (
                  <a class="button little" href={at(`/admin/emails/${own?.id ?? `new#trigger=${trigger}`}`)}>
                    Edit<span class="unseen"> the text of {TRIGGERS[trigger].label}</span>
                  </a>
                )}
              </li>
            ))}
          </ul>
        )}
      </Await>
    </section>
  );
}

/** The triggers with a built-in e-mail, and the company's text for all campaigns, or null. */
async function loadBuiltIn(signal: AbortSignal): Promise<{ trigger: Trigger; own: Email | null }[]> {
  const query = { per_page: 100, "filters[trigger_enabled]": "yes" as const };
  const [triggers, emails] = await Promise.all([
    loadTriggers(),
    answer(api.GET("/api/v2/company/emails", { params: { query }, signal })),
  ]);
  const forAll = emails.filter(
    (email) => email.allowed_campaign_ids.length === 0 && isInstead(email, triggers),
  );
  return triggers
    .filter(({ original }) => original !== null)
    .map(({ trigger_on: trigger }) => ({
      trigger,
      own: forAll.find((email) => email.trigger.trigger_on === trigger) ?? null,
    }));
}

function actionsOf(reload: () => Promise<void>): Column<Email> {
  return {
    id: "actions",
    title: "Actions",
    cell: (email) => (
      <span class="row tight no-wrap">
        <button class="button little" onClick={() => void copy(email, reload)}>
          Copy<span class="unseen"> {email.name}</span>
        </button>
        <button class="button little" onClick={() => void remove(email, reload)}>
          Delete<span class="unseen"> {email.name}</span>
        </button>
      </span>
    ),
  };
}

async function copy({ id, name }: Email, reload: () => Promise<void>): Promise<void> {
  await tell(async () => {
    await made(api.POST("/api/v2/company/emails/{id}/copy", { params: { path: { id } } }));
    await reload();
    return `${name} was copied. The copy is off.`;
  });
}

async function remove({ id, name }: Email, reload: () => Promise<void>): Promise<void> {
  const title = `Delete ${name}`;
  const text =
    "What waits to be sent is not sent. If it took the place of a built-in e-mail, that one is sent again.";
  if (!(await ask({ title, text, action: title, isDanger: true }))) return;
  await tell(async () => {
    await answer(api.DELETE("/api/v2/company/emails/{id}", { params: { path: { id } } }));
    await reload();
    return `${name} was deleted`;
  });
}
