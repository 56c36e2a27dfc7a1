import type { paths } from "../../ui/api/types.ts";

type Get<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer A } } } };
}
  ? A
  : never;

/** The API's figures of a range of days. */
export type HomeAnswer = Get<"/api/v2/company/home">;
export type FigureName = keyof HomeAnswer["figures"];
export type SetupSteps = Get<"/api/v2/company/setup">["steps"];
