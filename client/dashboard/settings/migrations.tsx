import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import { useLoad, useRepeat } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { date } from "../../ui/format.ts";
import { Checkbox, Select, TextArea } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Page } from "../../ui/shell/page.tsx";

type Migration = components["schemas"]["Migration"];
type Program = Migration["program"];

/** The programs, with descriptions of their keys. */
const PROGRAMS: Record<Program, [title: string, key: string]> = {
  rewardful: ["Rewardful", "The API secret of the company's settings."],
  firstpromoter: ["FirstPromoter", "The API key, and the account id in a second line."],
  tolt: ["Tolt", "The API key of the account's settings."],
  partnerstack: ["PartnerStack", "The public key for production, and the secret key in a second line."],
  dub: ["Dub", "An API key of the workspace that has the program."],
};

const LOOK_EVERY_MS = 2_000;

/** `/admin/settings/come-over` */
export function ComeOver() {
  const runs = useLoad((signal) =>
    answer(api.GET("/api/v2/company/migrations", { signal, params: { query: { per_page: 20 } } })),
  );
  useRepeat(async () => {
    if (runs.data.value?.some(isOpen)) await runs.reload();
  }, LOOK_EVERY_MS);
  return (
    <Page title="Move here">
      <div class="stack wide">
        <Order reload={runs.reload} />
        <section class="card stack">
          <h2>Runs</h2>
          <Await loaded={runs}>
            {(all) =>
              all.length === 0 ? (
                <Empty title="Nothing has been imported yet" />
              ) : (
                <ul class="stack entries">
                  {all.map((run) => (
                    <RunItem key={run.id} of={run} />
                  ))}
                </ul>
              )
            }
          </Await>
        </section>
      </div>
    </Page>
  );
}

function isOpen({ status }: Migration): boolean {
  return status === "waiting" || status === "running";
}

/** Starts a migration. */
function Order({ reload }: { reload: () => Promise<void> }) {
  const form = useForm({ program: "rewardful", key: "", dry_run: true });
  const [, keyHint] = PROGRAMS[form.values.program.value as Program];
  return (
    <section class="card stack">
      <h2>From another program</h2>
      <p>
        Promoters, links, codes, customers, sales, commissions and payouts are imported with their history.
        Run it as often as you like: nothing is imported twice, and changes made here stay.
      </p>
      <Form
        form={form}
        action="Start"
        onSubmit={async ({ program, ...rest }) => {
          const body = { program: program as Program, ...rest };
          await answer(api.POST("/api/v2/company/migrations", { body }));
          form.values.key.value = "";
          await reload();
        }}
      >
        <Select
          form={form}
          name="program"
          label="Program"
          options={Object.entries(PROGRAMS).map(([value, [title]]) => [value, title] as const)}
        />
        <TextArea
          form={form}
          name="key"
          label="Key"
          hint={`${keyHint} It is deleted when the run has ended.`}
          rows={2}
          required
        />
        <Checkbox form={form} name="dry_run" label="Only try it, and write nothing" />
      </Form>
    </section>
  );
}

function RunItem({ of: run }: { of: Migration }) {
  const isAll = useSignal(false);
  const [title] = PROGRAMS[run.program];
  const notes = [
    ...run.differences.map(({ email, texts }) => `${email}: ${texts.join("; ")}`),
    ...run.remarks,
  ];
  const shown = isAll.value ? notes : notes.slice(0, 5);
  const save = () =>
    tell(async () => {
      const params = { path: { id: run.id } };
      await answer(api.GET("/api/v2/company/migrations/{id}/report", { params, ...asFile }));
      return "The report is being downloaded";
    });
  return (
    <li class="stack tight">
      <div class="row spread">
        <span>
          <strong>{title}</strong> <small class="soft">{date(run.created_at)}</small>{" "}
          {run.dry_run && <Badge>Only tried</Badge>} <State of={run} />
        </span>
        {run.status === "done" && (
          <button class="button little" onClick={() => void save()}>
            Download the report
          </button>
        )}
      </div>
      {isOpen(run) && <Bar of={run} />}
      {run.error !== null && <p>{run.error}</p>}
      {run.status === "done" && (
        <p class="small">
          {run.promoters_compared} promoters compared, {run.promoters_that_differ} differ.
        </p>
      )}
      {shown.map((note, at) => (
        <p key={at} class="small soft">
          {note}
        </p>
      ))}
      {notes.length > shown.length && (
        <button class="button little" onClick={() => (isAll.value = true)}>
          Show all {notes.length}
        </button>
      )}
    </li>
  );
}

const asFile = { fetch: toDisk };

function State({ of: { status, promoters_that_differ: count } }: { of: Migration }) {
  if (status === "failed") return <Badge tone="bad">Failed</Badge>;
  if (status !== "done") return <Badge>{status === "waiting" ? "Waiting" : "Running"}</Badge>;
  return count === 0 ? <Badge tone="good">Equal</Badge> : <Badge tone="bad">Differs</Badge>;
}

function Bar({ of: { progress } }: { of: Migration }) {
  const label =
    progress === null ? "Beginning" : `${progress.count.toLocaleString("en")} records ${progress.step}`;
  return (
    <div class="row">
      <progress
        class="bar"
        aria-label={label}
        {...(progress?.total != null && { max: Math.max(1, progress.total), value: progress.count })}
      />
      <small class="soft">{label}</small>
    </div>
  );
}
