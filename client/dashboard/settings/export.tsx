import { useSignal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import { asRefusal, type Refusal } from "../../ui/api/refusal.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Page } from "../../ui/shell/page.tsx";
import { may } from "../session/session.ts";

/** A file with all records of a kind. */
interface ExportFile {
  title: string;
  text: string;
  load: () => Parameters<typeof answer>[0];
}

const asFile = { fetch: toDisk };

const FILES: ExportFile[] = [
  {
    title: "Promoters",
    text: "Names, addresses, ref ids, campaigns and parents.",
    load: () => api.GET("/api/v2/company/exports/promoters", asFile),
  },
  {
    title: "Leads",
    text: "Who they are, who sent them, and whether they buy.",
    load: () => api.GET("/api/v2/company/exports/referrals", asFile),
  },
  {
    title: "Commissions",
    text: "What was earned, by whom, by which sale, and whether it was paid.",
    load: () => api.GET("/api/v2/company/exports/commissions", asFile),
  },
  {
    title: "Payouts",
    text: "What was or will be paid, with tax, period and due date.",
    load: () => api.GET("/api/v2/company/exports/payouts", asFile),
  },
];

const EVERYTHING: ExportFile = {
  title: "Everything",
  text: "Campaigns, rewards, promoters, links, codes, leads, sales, refunds, commissions and payouts.",
  load: () => api.GET("/api/v2/company/exports/everything", asFile),
};

/** `/admin/settings/export` */
export function Export() {
  return (
    <Page title="Export">
      <div class="stack wide">
        <section class="card stack">
          <h2>CSV files</h2>
          <p>CSV files for spreadsheets and other programs. The audit log records each download.</p>
          <ul class="stack entries">
            {FILES.map((file) => (
              <FileRow key={file.title} file={file} />
            ))}
          </ul>
        </section>
        <section class="card stack">
          <h2>Figures</h2>
          <p>
            Each <a href="/admin/reports">report</a> can be downloaded with the days and columns that you
            choose there.
          </p>
        </section>
        <section class="card stack">
          <h2>For other programs</h2>
          <p>
            All records of the account as one file of JSON lines, without users, keys and secrets such as bank
            accounts.
          </p>
          {may("owner") && (
            <ul class="stack entries">
              <FileRow file={EVERYTHING} />
            </ul>
          )}
          <p class="small soft">
            The operator copies the whole server, while it runs, with <code>tidemark export FOLDER</code>, or
            a SQLite store with <code>tidemark backup FOLDER</code>.
          </p>
        </section>
      </div>
    </Page>
  );
}

function FileRow({ file: { title, text, load } }: { file: ExportFile }) {
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const save = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      await answer(load());
      toast(`${title} ${title === "Everything" ? "is" : "are"} being downloaded`);
    } catch (error) {
      refusal.value = asRefusal(error);
    }
    isBusy.value = false;
  };
  return (
    <li class="stack tight">
      <div class="row spread">
        <div>
          <strong>{title}</strong>
          <p class="small soft">{text}</p>
        </div>
        <button class="button" aria-disabled={isBusy.value} onClick={() => void save()}>
          {isBusy.value ? "Asking …" : "Download"}
          <span class="unseen"> {title.toLowerCase()}</span>
        </button>
      </div>
      {refusal.value && <Notice refusal={refusal.value} />}
    </li>
  );
}
