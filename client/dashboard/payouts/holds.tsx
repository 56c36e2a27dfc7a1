import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import type { components } from "../../ui/api/types.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import { dateTime } from "../../ui/format.ts";
import { may } from "../session/session.ts";

type Hold = components["schemas"]["PayoutHold"];

/** The promoters who are not paid, because they say that someone else has changed their payout method. */
export function Holds() {
  const list = useLoad((signal) => answer(api.GET("/api/v2/company/payout_holds", { signal })));
  const holds = list.data.value ?? [];
  if (holds.length === 0) return null;
  return (
    <section class="card stack">
      <h2>Held payouts</h2>
      <ul class="plain-list">
        {holds.map((hold) => (
          <li key={hold.promoter_id}>
            <span>
              <a href={`/admin/promoters/${hold.promoter_id}`}>{hold.name}</a> says that someone else has
              changed their payout method on {dateTime(hold.changed_at)}. They are not paid until you release
              their payouts.
            </span>
            {may("owner") && (
              <button class="button little" onClick={() => void release(hold, list.reload)}>
                Release
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

async function release({ promoter_id: id, name }: Hold, reload: () => Promise<void>): Promise<void> {
  const isMeant = await ask({
    title: `Release the payouts of ${name}?`,
    text: "Speak with them first, and look at the payout method that is selected now: the next payment goes there.",
    action: "Release the payouts",
  });
  if (!isMeant) return;
  await tell(async () => {
    await answer(api.POST("/api/v2/company/promoters/{id}/release_payouts", { params: { path: { id } } }));
    return `${name} can be paid again`;
  });
  await reload();
}
