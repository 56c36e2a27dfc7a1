import { useSignal } from "@preact/signals";
import { answer, api, page } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { ContractFile } from "../../ui/contract-file.tsx";
import { ContractText } from "../../ui/contract-text.tsx";
import { Badge } from "../../ui/feedback/badge.tsx";
import { Dialog } from "../../ui/feedback/dialog.tsx";
import { Await, Empty } from "../../ui/feedback/state.tsx";
import { toast } from "../../ui/feedback/toast.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { date } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";
import { Page } from "../../ui/shell/page.tsx";

type Document = components["schemas"]["ContractDocument"];

/** Loads the promoter's contracts, those to sign first. */
async function loadDocuments(): Promise<Document[]> {
  const params = { query: { per_page: 100 } };
  return (await page(api.GET("/api/v2/affiliate/contract_documents", { params }))).rows;
}

/** The promoter's contracts, to read and to sign. */
export function Contracts() {
  const loaded = useLoad(loadDocuments);
  const read = useSignal<Document | null>(null);
  return (
    <Page title={t("page.contracts")}>
      <Await loaded={loaded}>
        {(documents) =>
          documents.length === 0 ? (
            <div class="card">
              <Empty title={t("contracts.none")}>
                <p>{t("contracts.none.text")}</p>
              </Empty>
            </div>
          ) : (
            <ul class="grid">
              {documents.map((document) => (
                <Card key={document.id} of={document} onRead={() => (read.value = document)} />
              ))}
            </ul>
          )
        }
      </Await>
      {read.value && (
        <ContractDialog document={read.value} onSigned={loaded.reload} onClose={() => (read.value = null)} />
      )}
    </Page>
  );
}

function Card({ of: { contract, status, signed_at: at }, onRead }: { of: Document; onRead: () => void }) {
  const isSigned = status === "signed";
  return (
    <li class="card stack tight">
      <div class="row spread">
        <h2>{contract.name}</h2>
        <Badge tone={isSigned ? "good" : "warn"}>
          {t(isSigned ? "contracts.signed" : "contracts.to_sign")}
        </Badge>
      </div>
      {at !== null && <p class="soft">{t("contracts.signed_on", { date: date(at) })}</p>}
      <div>
        <button
          class={isSigned ? "button" : "button main"}
          aria-label={t(isSigned ? "contracts.read.of" : "contracts.read_and_sign.of", {
            name: contract.name,
          })}
          onClick={onRead}
        >
          {t(isSigned ? "contracts.read" : "contracts.read_and_sign")}
        </button>
      </div>
    </li>
  );
}

function ContractDialog({
  document,
  onSigned,
  onClose,
}: {
  document: Document;
  onSigned: () => Promise<void>;
  onClose: () => void;
}) {
  const { contract, contract_version: version, status } = document;
  return (
    <Dialog title={contract.name} onClose={onClose}>
      <div class="stack">
        {version.content_hosted ? (
          <Hosted document={document} />
        ) : (
          <p>
            <a href={version.external_link ?? ""} target="_blank" rel="noreferrer">
              {t("contracts.elsewhere")}
            </a>
          </p>
        )}
        {status === "pending" && <Sign document={document} onSigned={onSigned} onClose={onClose} />}
      </div>
    </Dialog>
  );
}

function Hosted({ document: { id, contract } }: { document: Document }) {
  const load = (type: "html" | "pdf", signal?: AbortSignal) => {
    const params = { path: { id }, query: { content_type: type } };
    return answer(
      api.GET("/api/v2/affiliate/contract_documents/{id}", { params, ...(signal && { signal }) }),
    );
  };
  const loaded = useLoad((signal) => load("html", signal), [id]);
  return (
    <Await loaded={loaded}>
      {({ data }) => (
        <>
          <ContractText content={data.content} label={contract.name} />
          <ContractFile name={contract.name} load={() => load("pdf")} />
        </>
      )}
    </Await>
  );
}

function Sign({
  document: { id, contract, contract_version: version, contract_version_id: versionId },
  onSigned,
  onClose,
}: {
  document: Document;
  onSigned: () => Promise<void>;
  onClose: () => void;
}) {
  const form = useForm({ agreed: false });
  return (
    <Form
      form={form}
      action={t("contracts.sign")}
      isDisabled={!form.values.agreed.value}
      onSubmit={async () => {
        const params = { path: { id } };
        const body = { contract_version_id: versionId };
        await answer(api.POST("/api/v2/affiliate/contract_documents/{id}/sign", { params, body }));
        toast(t("contracts.done", { name: contract.name }));
        onClose();
        await onSigned();
      }}
    >
      <Checkbox form={form} name="agreed" label={version.checkbox_label} hint={t("contracts.kept")} />
    </Form>
  );
}
