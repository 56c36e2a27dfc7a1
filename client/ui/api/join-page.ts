import { answer, api } from "./client.ts";
import type { components } from "./types.ts";

/** What a campaign's sign-up page says and asks. `invitation`: that of a private campaign. */
export function loadJoinPage(
  campaign: number,
  invitation: string | null,
): Promise<components["schemas"]["JoinPage"]> {
  const params = { path: { campaign } };
  if (invitation === null) return answer(api.GET("/api/v2/join/{campaign}", { params }));
  return answer(api.POST("/api/v2/join/{campaign}/invitation", { params, body: { invitation } }));
}
