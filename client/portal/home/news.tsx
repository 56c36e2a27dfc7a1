import { answer, api } from "../../ui/api/client.ts";
import { useLoad } from "../../ui/api/load.ts";
import { date, money } from "../../ui/format.ts";
import { t } from "../../languages/messages.ts";
import { session } from "../session/session.ts";

/** What was added since the promoter's last visit. Hidden on the first one, and where nothing is new. */
export function News() {
  const { value: news } = useLoad(loadNews).data;
  if (news == null || news.since === null) return null;
  const { clicks_count: clicks, referrals_count: leads, commissions_count: commissions } = news;
  const parts = [
    clicks > 0 && t("news.clicks", { count: clicks }),
    leads > 0 && t("news.leads", { count: leads }),
    commissions > 0 && t("news.commissions", { count: commissions, amount: money(news.earnings_amount) }),
    news.paid_amount > 0 && t("news.paid", { amount: money(news.paid_amount) }),
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return (
    <section class="card stack tight" aria-label={t("news", { date: date(news.since) })}>
      <h2>{t("news", { date: date(news.since) })}</h2>
      <ul class="row">
        {parts.map((part) => (
          <li key={part} class="badge">
            {part}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Users of the company who look at a portal are no visit of the promoter's. */
async function loadNews() {
  return session.value?.is_read_only ? null : answer(api.POST("/api/v2/affiliate/visits"));
}
