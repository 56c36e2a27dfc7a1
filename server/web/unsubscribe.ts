import type { H3Event } from "h3";
import { z } from "zod";
import { findAccount } from "../domain/program/account/account.ts";
import { unsubscribe } from "../domain/events/email.ts";
import { Failure } from "../failure.ts";
import { id, text } from "../input/fields.ts";
import { readQuery } from "../http/parameters/form.ts";
import { shapeInput } from "../input/shape.ts";
import { newContext, type Services } from "../request/services.ts";
import { plainPage } from "./plain-page.ts";

const linkParams = z.object({ cid: text, promoter: id, token: text });

/** `GET /unsubscribe` only asks for confirmation, because mail filters open links. */
export function unsubscribePage(): Response {
  return page(
    200,
    `<form method="post"><p>Do you want to stop these e-mails?</p><button>Unsubscribe</button></form>`,
  );
}

/** `POST /unsubscribe`, by the page's button or by the mail program. @see RFC 8058 */
export function unsubscribeByLink(services: Services) {
  return async (event: H3Event): Promise<Response> => {
    try {
      const { cid, promoter, token } = shapeInput(linkParams, readQuery(event));
      const account = await findAccount(services.store, cid);
      if (account === null) return invalid();
      await unsubscribe(newContext(services), account, { promoterId: promoter, token });
      return page(200, "<p>You will not get these e-mails any more.</p>");
    } catch (error) {
      if (error instanceof Failure && error.kind !== "unavailable") return invalid();
      throw error;
    }
  };
}

function invalid(): Response {
  return page(404, "<p>This link is not valid.</p>");
}

function page(status: number, content: string): Response {
  return plainPage("E-mails", content, { status });
}
