import { z } from "zod";
import { makeEntryLink, setFirstPassword, signOutEverywhere } from "../../domain/people/portal/entry.ts";
import { FRAME_SECONDS, VIEW_SECONDS, openFrame, openView } from "../../domain/people/portal/sign-in.ts";
import { loadSelected, type Selection } from "../../domain/people/promoter/search.ts";
import { endSessions } from "../../domain/access/session.ts";
import { Failure } from "../../failure.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import { text } from "../../input/fields.ts";
import { shapeInput } from "../../input/shape.ts";
import { actorOf } from "../../request/caller.ts";
import { newPassword } from "../affiliate/own-fields.ts";
import type { V2Operation, V2Request, V2Row } from "../operation.ts";
import { readPathId } from "../../resource/listing.ts";
import { field, message } from "../../http/fields.ts";
import { promoterAnswer } from "./promoter-json.ts";

const params = z
  .object({
    promoter_id: field(text, "Id of the promoter. Or give `cust_id`.", "17"),
    cust_id: field(text, promoterAnswer.schema.shape.cust_id),
  })
  .partial();

const frameLoginOperation: V2Operation = {
  id: "openPortalFrame",
  summary: "Open a promoter's portal for a page of your own product",
  description:
    "Makes an access token for one promoter, valid for 24 hours. Show the portal within your product at `/iframe?tk=…` (`&campaign_id=…` puts that campaign first), or call the portal's operations with the token.",
  params,
  answer: z
    .object({
      access_token: field(
        z.string(),
        "Opens the promoter's portal. Keep it secret.",
        "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
      ),
      expires_in: field(z.int(), "Seconds until the token expires.", 86400),
    })
    .meta({ id: "PortalToken" }),
  refusals: ["missing", "not_found", "refused"],
  async handle(request) {
    const { account, context } = request;
    const { promoter } = await loadSelected(context.store, account.id, await readPromoter(request));
    const { token } = await openFrame(context, { account, promoter });
    return { access_token: token, expires_in: FRAME_SECONDS };
  },
};

/** It ends all of the promoter's sessions. */
const frameLogoutOperation: V2Operation = {
  id: "closePortalFrame",
  summary: "End a promoter's sessions",
  description: "Ends all sessions of one promoter.",
  params,
  answer: z.object({
    message,
  }),
  refusals: ["missing", "not_found"],
  async handle(request) {
    const { account, context } = request;
    const selection = await readPromoter(request);
    await context.store.transact(async (tx) => {
      const { promoter } = await loadSelected(tx, account.id, selection);
      await endSessions(tx, { kind: "promoter", account_id: account.id, id: promoter.id });
    });
    return { message: "The promoter is signed out" };
  },
};

const viewPortalOperation: V2Operation = {
  id: "viewPortal",
  summary: "See a promoter's portal as they see it",
  description: "Opens a promoter's portal for 15 minutes, read-only. The audit log records who did.",
  answer: z
    .object({
      access_token: field(
        z.string(),
        "Opens the promoter's portal. Keep it secret.",
        "q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Ga",
      ),
      expires_in: field(z.int(), "Seconds until the token expires.", 86400),
      url: field(
        z.string(),
        "The portal, as the promoter sees it.",
        "https://track.example.com/portal#view=q3kPz0",
      ),
    })
    .meta({ id: "PortalView" }),
  status: 201,
  refusals: ["not_found", "refused"],
  async handle({ event, account, caller, context, public_url }) {
    const actor = actorOf(caller);
    const { token } = await openView({ ...context, actor }, account, readPathId(event));
    // The fragment is never sent to a server, so the token is in no log.
    return { access_token: token, expires_in: VIEW_SECONDS, url: `${public_url}/portal#view=${token}` };
  },
};

const makeSignInLinkOperation: V2Operation = {
  id: "makePromoterSignInLink",
  summary: "Make a link that signs a promoter in",
  description:
    "Makes a link to give to the promoter. It signs them in to the portal once, within 24 hours. The audit log records who made it.",
  answer: z
    .object({
      url: field(
        z.string(),
        "Signs the promoter in. Give it only to them.",
        "https://track.example.com/portal/welcome#3.1.h.mg8k2j3v.q3kPz0",
      ),
      ends_at: field(z.iso.datetime(), "When the link stops working.", "2026-03-02T09:30:00.000Z"),
    })
    .meta({ id: "SignInLink" }),
  status: 201,
  refusals: ["not_found", "refused"],
  async handle({ event, account, caller, context, public_url }) {
    const actor = actorOf(caller);
    const { url, ends_at } = await makeEntryLink(
      { ...context, actor, public_url },
      account,
      readPathId(event),
    );
    return { url, ends_at: ends_at.toISOString() };
  },
};

const signOutOperation: V2Operation = {
  id: "signPromoterOut",
  summary: "Sign a promoter out everywhere",
  description:
    "Ends all sessions of a promoter. Sign-in links and the auth token that were given out before open nothing any more. An extension of Tidemark.",
  answer: z.object({ message }),
  refusals: ["not_found"],
  async handle({ event, account, context }) {
    await signOutEverywhere(context, account.id, readPathId(event));
    return { message: "The promoter is signed out everywhere" };
  },
};

const passwordBody = z.object({
  password: field(newPassword, "At least 8 characters.", "correct horse battery"),
});

const setFirstPasswordOperation: V2Operation = {
  id: "setPromoterFirstPassword",
  summary: "Set a promoter's first password",
  description:
    "Sets the password that a promoter signs in with until they choose their own, and is refused after that. The audit log records who set it.",
  body: passwordBody,
  answer: z.object({
    message,
  }),
  refusals: ["not_found", "invalid", "refused", "busy"],
  async handle({ event, account, caller, context }) {
    const { password } = shapeInput(passwordBody, await readJson(event));
    const actor = actorOf(caller);
    await setFirstPassword({ ...context, actor }, account, { promoter_id: readPathId(event), password });
    return { message: "The promoter can sign in with this password and then chooses their own" };
  },
};

/**
 * The operations that open portals. A promoter sees the bank details in the portal whole, so only owners may let themselves in.
 */
export const PORTAL_ACCESS: V2Row[] = [
  ["POST", "/api/v2/promoters/iframe_login", frameLoginOperation, "key"],
  ["POST", "/api/v2/promoters/iframe_logout", frameLogoutOperation, "key"],
  ["POST", "/api/v2/company/promoters/:id/portal_view", viewPortalOperation, "manager"],
  ["POST", "/api/v2/company/promoters/:id/sign_in_link", makeSignInLinkOperation, "owner"],
  ["POST", "/api/v2/company/promoters/:id/sign_out", signOutOperation, "manager"],
  ["POST", "/api/v2/company/promoters/:id/first_password", setFirstPasswordOperation, "owner"],
];

/** @throws Failure `missing` */
async function readPromoter({ event }: V2Request): Promise<Selection> {
  const given = shapeInput(params, { ...(await readJson(event)), ...readQuery(event) });
  if (given.promoter_id !== undefined) return { by: "id", value: given.promoter_id };
  if (given.cust_id !== undefined) return { by: "cust_id", value: given.cust_id };
  throw new Failure("missing", "Name the promoter by promoter_id or cust_id");
}
