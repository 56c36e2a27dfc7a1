import { z } from "zod";
import { count } from "./count.ts";

const HOST = /(?:[^\s:,@/?#[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?/.source;
/** As libpq writes it: `postgres://user@a:5432,b:5433/database`. */
const HOST_LIST = new RegExp(`^postgres(ql)?://([^/?#]*@)?${HOST}(,${HOST})*([/?#].*)?$`, "i");
const ONLY_POSTGRES = "needs a STORAGE_URL that is a postgres: address, because only Postgres has standbys";

/** The settings that say where a store is. Other schemes are refused when the store is opened. */
export const storageSettings = {
  STORAGE_URL: z
    .string()
    .refine(
      (value) => !/^postgres(ql)?:.*,/.test(value) || HOST_LIST.test(value),
      "must name each host between commas, like postgres://user@a:5432,b:5433/database",
    )
    .default("sqlite:./data"),
  STORAGE_CONNECTIONS: count("10").refine((connections) => connections >= 2, "must be at least 2"),
  STORAGE_REQUIRE_STANDBY: z.enum(["0", "1"], "must be 0 or 1").default("0"),
  STORAGE_READ_URL: z.string().regex(HOST_LIST, "must be like postgres://user@b:5433/database").optional(),
  STORAGE_READ_MAX_AGE: count("60"),
};

/** Refuses settings that a store without standbys can't follow. */
export function refuseStandbys(
  settings: { STORAGE_URL: string; STORAGE_REQUIRE_STANDBY: string; STORAGE_READ_URL?: string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (/^postgres(ql)?:/.test(settings.STORAGE_URL)) return;
  const refuse = (name: string) => context.addIssue({ code: "custom", path: [name], message: ONLY_POSTGRES });
  if (settings.STORAGE_REQUIRE_STANDBY === "1") refuse("STORAGE_REQUIRE_STANDBY");
  if (settings.STORAGE_READ_URL !== undefined) refuse("STORAGE_READ_URL");
}
