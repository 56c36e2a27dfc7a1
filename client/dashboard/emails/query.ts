import { answer, api, page } from "../../ui/api/client.ts";
import type { components } from "../../ui/api/types.ts";
import { PAGE_LENGTH, type Rows } from "../../ui/table/list.ts";

export type Email = components["schemas"]["Email"];
export type Translation = components["schemas"]["EmailTranslation"];
/** A trigger with its placeholders and its built-in e-mail. */
export type TriggerInfo = components["schemas"]["EmailTrigger"];
export type Trigger = TriggerInfo["trigger_on"];

/** The name of each trigger, and when its e-mails are sent. */
export const TRIGGERS: Record<Trigger, { label: string; hint: string }> = {
  promoter_accepted: { label: "Promoter accepted", hint: "When a promoter is accepted in a campaign." },
  promoter_rejected: { label: "Promoter rejected", hint: "When you reject a promoter." },
  lead_signup: { label: "New lead", hint: "When a person signs up through their link." },
  reward_created: { label: "New commission", hint: "When they have earned something." },
  fulfilment_completed: { label: "Payout sent", hint: "When you have paid them." },
  count_reached: {
    label: "Count reached",
    hint: "Once, when they have reached a number. Promoters who have reached it already get it too.",
  },
  inactivity: { label: "Inactivity", hint: "When nothing has happened for some days." },
  recurring: { label: "Every week or month", hint: "At a time that you choose." },
  broadcast: { label: "When I send it", hint: "Once to each promoter, when you press the button." },
};

export const TRIGGER_NAMES = Object.keys(TRIGGERS) as Trigger[];

/** A page of the company's e-mails, newest first. */
export function loadEmails(number: number, signal: AbortSignal): Promise<Rows<Email>> {
  const query = { page: number, per_page: PAGE_LENGTH };
  return page(api.GET("/api/v2/company/emails", { params: { query }, signal }));
}

/** The triggers, with the built-in e-mails in a language. Absent: that of promoters who have none. */
export function loadTriggers(language?: Translation["language"]): Promise<TriggerInfo[]> {
  const query = { ...(language && { language }) };
  return answer(api.GET("/api/v2/company/emails/triggers", { params: { query } }));
}

/** Whether an e-mail takes the place of a built-in one. */
export function isInstead({ trigger }: Email, triggers: TriggerInfo[]): boolean {
  const known = triggers.find(({ trigger_on: name }) => name === trigger.trigger_on);
  return known?.original != null && !trigger.settings.delay_value;
}
