import { answer, api } from "../../ui/api/client.ts";
import { toDisk } from "../../ui/api/download.ts";
import { useLoad } from "../../ui/api/load.ts";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await } from "../../ui/feedback/state.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { Paper } from "./paper.tsx";

/** An invoice as it was sent, or a draft with what it lacks and what speaks against it. */
export function InvoiceDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const params = { path: { id } };
  const invoice = useLoad((signal) => answer(api.GET("/api/v2/company/invoices/{id}", { params, signal })));
  const download = () =>
    tell(async () => {
      await answer(api.GET("/api/v2/company/invoices/{id}/pdf", { params, fetch: toDisk }));
      return "The download has begun.";
    });
  return (
    <Dialog title={invoice.data.value?.number ?? `Draft ${id}`} onClose={onClose}>
      <Await loaded={invoice}>
        {({ html, missing, warnings, pdf_url: file }) => (
          <div class="stack">
            <Notice sentences={missing} />
            <Notice sentences={warnings} />
            <Paper html={html} />
            {file !== null && (
              <div class="dialog-foot">
                <button class="button main" onClick={() => void download()}>
                  Download as PDF
                </button>
              </div>
            )}
          </div>
        )}
      </Await>
    </Dialog>
  );
}

function Notice({ sentences }: { sentences: string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div class="notice warn">
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
      </ul>
    </div>
  );
}
