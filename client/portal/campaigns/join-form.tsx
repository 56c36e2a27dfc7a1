import { answer, api } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { Form, useForm } from "../../ui/form/form.tsx";
import { initialAnswers, answersOf, Questions } from "../../ui/form/questions.tsx";
import type { Invitation } from "./invitation.ts";
import { t } from "../../languages/messages.ts";

type Campaign = components["schemas"]["PortalCampaign"];

/** Joins a campaign, with its questions and terms. */
export function JoinForm({
  campaign,
  invitation,
  onJoined,
}: Invitation & {
  onJoined: (state: Campaign["state"]) => void;
}) {
  const form = useForm(initialAnswers(campaign));
  return (
    <Form
      form={form}
      action={t(campaign.needs_approval ? "join.apply" : "join.join")}
      onSubmit={async (values) => {
        const answers = answersOf(campaign, values);
        const body = { ...answers, ...(invitation !== null && { invitation }) };
        const params = { path: { id: campaign.id } };
        const joined = await answer(api.POST("/api/v2/affiliate/campaigns/{id}/join", { params, body }));
        onJoined(joined.state);
      }}
    >
      <Questions form={form} asked={campaign} />
      {campaign.questions.length === 0 && campaign.terms === null && campaign.contracts.length === 0 && (
        <p class="soft">{t(campaign.needs_approval ? "campaigns.review" : "campaigns.own_link")}</p>
      )}
    </Form>
  );
}
