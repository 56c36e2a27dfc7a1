import { Empty } from "../../ui/feedback/state.tsx";
import { t } from "../../languages/messages.ts";

/** A promoter without a campaign has no link. */
export function NoCampaign() {
  return (
    <Empty title={t("campaigns.in_none")}>
      <p>{t("campaigns.in_none.text")}</p>
      <a class="button" href="/portal/campaigns">
        {t("campaigns.see")}
      </a>
    </Empty>
  );
}
