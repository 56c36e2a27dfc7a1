import { answer, api } from "../../ui/api/client.ts";
import { tell } from "../../ui/feedback/tell.ts";
import type { Promoter } from "./query.ts";

/** Accepts or rejects applications within the list. The campaign's name is shown only if there are several. */
export function Decide({ promoter, reload }: { promoter: Promoter; reload: () => Promise<void> }) {
  const { id, name, promoter_campaigns: joined } = promoter;
  const waiting = joined.filter(({ state }) => state === "pending");
  const decide = (campaignId: number, verb: "accept" | "reject") =>
    tell(async () => {
      const body = { ids: [id], campaign_id: campaignId };
      const done =
        verb === "accept"
          ? await answer(api.POST("/api/v2/company/promoters/accept", { body }))
          : await answer(api.POST("/api/v2/company/promoters/reject", { body }));
      await reload();
      const [fault] = done.processing_errors;
      return fault ?? `${name} ${verb === "accept" ? "accepted" : "rejected"}`;
    });
  return (
    <>
      {waiting.map(({ campaign_id: campaignId, campaign }) => (
        <span key={campaignId} class="row tight no-wrap">
          {joined.length > 1 && <small class="soft">{campaign.name}</small>}
          <button class="button little" onClick={() => void decide(campaignId, "accept")}>
            Accept<span class="unseen"> {name}</span>
          </button>
          <button class="button plain little" onClick={() => void decide(campaignId, "reject")}>
            Reject<span class="unseen"> {name}</span>
          </button>
        </span>
      ))}
    </>
  );
}
