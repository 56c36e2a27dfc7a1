import { expect } from "vitest";
import { signInByAuthToken } from "../../server/domain/people/portal/sign-in.ts";
import { newContext } from "../../server/request/services.ts";
import { AFFILIATE_OPERATIONS, ENTRANCES } from "../../server/v2/affiliate/operations.ts";
import { answerOf, type Answer, type TestApp } from "./app.ts";

/** The address of the tests' own server, which pages send as their origin. */
const ORIGIN = "https://track.acme.example";

/** A promoter who is signed in to the portal, as their browser calls it. */
export interface PortalBrowser {
  /** Calls an operation below `/api/v2/affiliate`. A success must match its schema exactly. */
  call(request: string, body?: unknown): Promise<Answer>;
  /** Only status and body, which most tests compare. */
  outcome(request: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

/** A browser that keeps the portal's cookie. */
export function portalBrowser(app: TestApp, headers: Record<string, string> = {}, given = ""): PortalBrowser {
  let cookie = given;
  const call = async (request: string, body?: unknown): Promise<Answer> => {
    const [method = "", path = ""] = request.split(" ");
    const answer = await answerOf(
      await app.request(`/api/v2/affiliate${path}`, {
        method,
        headers: { "content-type": "application/json", origin: ORIGIN, cookie, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const set = answer.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0] ?? "";
    if (answer.status < 300) expectAsDeclared(method, `/api/v2/affiliate${path}`, answer);
    return answer;
  };
  const outcome = async (request: string, body?: unknown) => {
    const { status, body: answered } = await call(request, body);
    return { status, body: answered };
  };
  return { call, outcome };
}

/** A promoter who is signed in by their auth token, which costs no hash of a password. */
export async function visitingPromoter(
  app: TestApp,
  email: string,
  params: Record<string, string> = {},
): Promise<PortalBrowser & { id: number }> {
  const { body } = await app.v1("/promoters/create", { email, ...params });
  const { id, auth_token } = body as { id: number; auth_token: string };
  return { ...(await signedInBrowser(app, auth_token)), id };
}

/** A browser that a promoter's auth token has signed in. */
export async function signedInBrowser(
  app: TestApp,
  authToken: string,
  headers: Record<string, string> = {},
): Promise<PortalBrowser> {
  return portalBrowser(app, headers, `tidemark_portal=${await portalToken(app, authToken)}`);
}

/** The token that a browser keeps in its cookie once a promoter's auth token has signed it in. */
export async function portalToken(app: TestApp, authToken: string): Promise<string> {
  const signedIn = await signInByAuthToken(newContext(app.services), { auth_token: authToken, device: null });
  return signedIn?.token ?? "";
}

/** A promoter who was made with a temporary password, has replaced it, and is signed in. */
export async function signedInPromoter(
  app: TestApp,
  email: string,
  params: Record<string, string> = {},
): Promise<PortalBrowser & { id: number }> {
  const made = await app.v1("/promoters/create", { email, temp_password: "first secret", ...params });
  expect(made.status).toBe(200);
  const browser = portalBrowser(app);
  expect((await browser.call("POST /session", { email, password: "first secret" })).status).toBe(201);
  expect((await browser.call("POST /promoters/set_password", { password: PASSWORD })).status).toBe(200);
  return { ...browser, id: (made.body as { id: number }).id };
}

/** The password of promoters who have chosen one. */
export const PASSWORD = "correct horse battery";

function expectAsDeclared(method: string, path: string, { status, body }: Answer): void {
  const plain = path.replace(/\?.*$/, "");
  const declared = [...AFFILIATE_OPERATIONS, ...ENTRANCES].find(
    ([declaredMethod, route]) =>
      declaredMethod === method && new RegExp(`^${route.replace(/:\w+/g, "[^/]+")}$`).test(plain),
  );
  if (declared === undefined) throw new Error(`${method} ${path} is no operation`);
  const { answer, status: success = 200 } = declared[2];
  expect(status).toBe(success);
  if (success !== 204) expect(answer.parse(body)).toEqual(body);
}
