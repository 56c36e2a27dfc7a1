import { Failure, type FieldErrors } from "../../failure.ts";
import type { Account } from "../account/account.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Campaign, SignupQuestion } from "./record.ts";

/** Somebody's answers to the questions of a campaign, by question. */
export type SignupAnswers = Record<string, string>;

const MAX_ANSWER_LENGTH = 2_000;

/**
 * Checks the answers of somebody who wants to join, and that they accept the terms. Answers to other questions are
 * dropped.
 *
 * @throws Failure `invalid` naming each fault
 */
export function checkSignup(
  { signup }: Campaign,
  given: { answers: SignupAnswers; acceptsTerms: boolean },
): SignupAnswers {
  const faults: FieldErrors = {};
  const answers: SignupAnswers = {};
  for (const question of signup?.questions ?? []) {
    const answer = given.answers[question.label]?.trim() ?? "";
    const fault = faultOf(question, answer);
    if (fault !== null) faults[`answers[${question.label}]`] = [fault];
    else if (answer !== "") answers[question.label] = answer;
  }
  if (signup?.terms && !given.acceptsTerms) faults["terms_accepted"] = ["must be accepted"];
  if (Object.keys(faults).length > 0)
    throw new Failure("invalid", "Some answers are missing or wrong.", faults);
  return answers;
}

function faultOf({ isRequired, choices }: SignupQuestion, answer: string): string | null {
  if (answer === "") return isRequired ? "can't be blank" : null;
  if (answer.length > MAX_ANSWER_LENGTH) return `is too long (maximum is ${MAX_ANSWER_LENGTH} characters)`;
  return choices.length > 0 && !choices.includes(answer) ? `is not one of ${choices.join(", ")}` : null;
}

/** The code that lets people join a private campaign. It never changes. */
function invitationCode({ addressKey }: Account, campaign: Campaign): string {
  return createHmac("sha256", addressKey)
    .update(`invitation ${campaign.id}`)
    .digest("base64url")
    .slice(0, 22);
}

/** Whether somebody may ask to join: everybody, or whoever has the invitation of a private campaign. */
export function isInvited(account: Account, campaign: Campaign, code: string | null): boolean {
  if (!campaign.isPrivate) return true;
  const own = Buffer.from(invitationCode(account, campaign));
  const given = Buffer.from(code ?? "");
  return own.length === given.length && timingSafeEqual(own, given);
}

/** The address of a campaign's sign-up page. An invitation stands in the fragment, which no log sees. */
export function signupUrl(publicUrl: string, account: Account, campaign: Campaign): string {
  const page = `${publicUrl}/join/${campaign.id}`;
  return campaign.isPrivate ? `${page}#invitation=${invitationCode(account, campaign)}` : page;
}
