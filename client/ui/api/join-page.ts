import { answer, api } from "./client.ts";
import type { components } from "./types.ts";

/** The content of a campaign's sign-up page. A private campaign needs its `invitation`. */
export function loadJoinPage(
  campaign: number,
  invitation: string | null,
): Promise<components["schemas"]["JoinPage"]> {
  const params = { path: { campaign } };
  if (invitation === null) return answer(api.GET("/api/v2/join/{campaign}", { params }));
  return answer(api.POST("/api/v2/join/{campaign}/invitation", { params, body: { invitation } }));
}
