import type { H3Event } from "h3";
import { z } from "zod";
import { holdPayouts } from "../domain/ledger/payout-method/hold.ts";
import { findAccount } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";
import { id, text } from "../input/fields.ts";
import { readQuery } from "../http/parameters/form.ts";
import { shapeInput } from "../input/shape.ts";
import { newContext, type Services } from "../request/services.ts";
import { plainPage } from "./plain-page.ts";

const linkParams = z.object({ cid: text, promoter: id, at: z.iso.datetime(), token: text });

/** `GET /not-me`: only asks, because mail filters open links on their own. */
export function notMePage(): Response {
  return page(
    200,
    `<form method="post"><p>Did someone else change your payout method? If so, press the button. You are not paid until the company has spoken with you.</p><button>This was not me</button></form>`,
  );
}

/** `POST /not-me`: a promoter says that someone else has changed their payout method. */
export function holdByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, at, token } = shapeInput(linkParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return page(404, "<p>This link is not valid.</p>");
      const context = newContext(services, { kind: "promoter", id: promoter, name: null });
      await holdPayouts(context, account, { promoterId: promoter, changedAt: at, token });
      return page(
        200,
        "<p>Thank you. Your payouts are on hold, and we have told the company. Now choose a new password in your portal, and check your payout method.</p>",
      );
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === "unavailable") throw error;
      if (error.kind === "refused") return page(410, `<p>${error.message}</p>`);
      return page(404, "<p>This link is not valid.</p>");
    }
  };
}

function page(status: number, content: string): Response {
  return plainPage("Your payout method", content, { status });
}
