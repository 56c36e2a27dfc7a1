import { signal } from "@preact/signals";
import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { asRefusal } from "../../ui/api/refusal.ts";
import type { components } from "../../ui/api/types.ts";
import { Await } from "../../ui/feedback/state.tsx";
import { toastRefusal } from "../../ui/feedback/toast.tsx";
import { Checkbox } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { boxOf, Signature } from "../../ui/form/questions.tsx";
import { LonePage } from "../../ui/shell/page.tsx";
import { t } from "../../languages/messages.ts";
import { keep, kept, session, signOut, type Session } from "./session.ts";

type Asked = components["schemas"]["PortalAgreements"];

/** The key of the promoter who answers later, in this tab's storage. */
const LATER_PLACE = "tidemark.portal.later";

/** The promoter who answers later, until the tab is closed. */
const later = signal(kept(LATER_PLACE));

/** Whether the portal first shows what the promoter is asked to accept. */
export function asksFirst({ agreements, promoter }: Session): boolean {
  return agreements === "required" || (agreements === "waiting" && later.value !== String(promoter.id));
}

/** Leads from a page of the portal to what waits for the promoter. */
export function AgreementsNotice() {
  const signedIn = session.value;
  if (signedIn === null || signedIn.agreements === "none") return null;
  return (
    <p class="notice warn" role="status">
      {t("agreements.waiting", { company: signedIn.account.name })}{" "}
      <button class="button little" onClick={() => postpone("")}>
        {t("agreements.read")}
      </button>
    </p>
  );
}

/** The terms and contracts of a promoter's campaigns, which people who apply accept on the sign-up page. */
export function Agreements({ signedIn }: { signedIn: Session }) {
  const loaded = useLoad(() => answer(api.GET("/api/v2/affiliate/agreements")));
  return (
    <LonePage title={t("agreements")}>
      <p class="soft">{t("agreements.text", { company: signedIn.account.name })}</p>
      <Await loaded={loaded}>
        {(asked) => (
          <AgreementsForm
            key={JSON.stringify(asked)}
            asked={asked}
            signedIn={signedIn}
            reload={loaded.reload}
          />
        )}
      </Await>
    </LonePage>
  );
}

function AgreementsForm({
  asked,
  signedIn,
  reload,
}: {
  asked: Asked;
  signedIn: Session;
  reload: () => Promise<void>;
}) {
  const { terms, contracts, may_wait: mayWait } = asked;
  const boxes = [...terms.map(({ campaign }) => termsBoxOf(campaign)), ...contracts.map(boxOf)];
  const form = useForm<Record<string, boolean>>(Object.fromEntries(boxes.map((box) => [box, false])));
  const accept = async () => {
    const body = {
      accepted_terms: terms.map(({ campaign, version }) => ({ campaign_id: campaign.id, version })),
      signed_contract_version_ids: contracts.map(({ version_id: id }) => id),
    };
    try {
      await answer(api.POST("/api/v2/affiliate/agreements", { body }));
      session.value = { ...signedIn, agreements: "none" };
    } catch (error) {
      const refusal = asRefusal(error);
      if (refusal.status !== 422) throw refusal;
      // A text has changed since it was shown.
      toastRefusal(refusal);
      await reload();
    }
  };
  return (
    <Form
      form={form}
      action={t("agreements.accept")}
      isDisabled={!boxes.every((box) => form.values[box]?.value)}
      onSubmit={accept}
      others={<WayOut mayWait={mayWait} promoterId={signedIn.promoter.id} />}
    >
      {terms.map(({ campaign, text }) => (
        <div key={campaign.id} class="stack tight">
          <details open>
            <summary>{t("agreements.terms", { campaign: campaign.name })}</summary>
            <p class="terms">{text}</p>
          </details>
          <Checkbox
            form={form}
            name={termsBoxOf(campaign)}
            label={t("agreements.terms.accept", { campaign: campaign.name })}
          />
        </div>
      ))}
      {contracts.length > 0 && <h2 class="unseen">{t("page.contracts")}</h2>}
      {contracts.map((contract) => (
        <Signature key={contract.version_id} form={form} contract={contract} />
      ))}
      {contracts.length > 0 && <p class="small soft">{t("contracts.kept")}</p>}
    </Form>
  );
}

/** Those who must accept first can still leave a computer that others use. */
function WayOut({ mayWait, promoterId }: { mayWait: boolean; promoterId: number }) {
  const leave = () => (mayWait ? postpone(String(promoterId)) : void signOut());
  return (
    <button type="button" class="button" onClick={leave}>
      {t(mayWait ? "agreements.later" : "sign_out")}
    </button>
  );
}

function termsBoxOf({ id }: { id: number }): string {
  return `terms ${id}`;
}

function postpone(promoterId: string): void {
  keep(LATER_PLACE, promoterId);
  later.value = promoterId;
}
