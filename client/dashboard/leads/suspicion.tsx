import { answer, api } from "../../ui/api/client.ts";
import { these } from "../../ui/batch/selection.ts";
import { tell } from "../../ui/feedback/tell.ts";
import { may } from "../session/session.ts";
import { SUSPICIONS } from "../suspicions.ts";
import { actOnLeads } from "./actions.tsx";
import type { Lead } from "./query.ts";
import { leadName } from "./words.ts";

/** Why a lead is suspicious, and what to do about it. */
export function Suspicion({ lead, reload }: { lead: Lead; reload: () => Promise<void> }) {
  const { id, fraud_check: kind, state } = lead;
  if (kind === "no_suspicion") return null;
  const clear = () =>
    tell(async () => {
      const params = { path: { id: String(id) } };
      const body = { fraud_check: "no_suspicion" as const };
      await answer(api.PUT("/api/v2/company/referrals/{id}", { params, body }));
      await reload();
      return "The suspicion was cleared";
    });
  return (
    <section class="notice warn stack tight" aria-label="Suspicion">
      <strong>{SUSPICIONS[kind].words}</strong>
      <p>{SUSPICIONS[kind].why}</p>
      <p>
        If it is fine, clear the suspicion. Otherwise disable the lead, and deny the commissions that it has
        earned.
      </p>
      {may("manager") && (
        <div class="row">
          <button class="button little" onClick={clear}>
            Clear the suspicion
          </button>
          {state !== "denied" && (
            <button
              class="button little"
              onClick={() => actOnLeads("disable", { records: these([id]), who: leadName(lead), reload })}
            >
              Disable the lead
            </button>
          )}
        </div>
      )}
    </section>
  );
}
