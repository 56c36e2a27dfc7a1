import { Empty } from "../../ui/feedback/state.tsx";

/** A promoter without a campaign has no link. */
export function NoCampaign() {
  return (
    <Empty title="You are in no campaign yet">
      <p>Each campaign that you join gives you a link to share.</p>
      <a class="button" href="/portal/campaigns">
        See the campaigns
      </a>
    </Empty>
  );
}
