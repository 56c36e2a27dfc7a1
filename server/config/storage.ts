import { z } from "zod";

const HOST = /(?:[^\s:,@/?#[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?/.source;
/** As libpq writes it: `postgres://user@a:5432,b:5433/database`. */
const HOST_LIST = new RegExp(`^postgres(ql)?://([^/?#]*@)?${HOST}(,${HOST})*([/?#].*)?$`, "i");

/** Whether a store is in a Postgres database. */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/** The settings that say where a store is. Other schemes are refused when the store is opened. */
export const storageSettings = {
  STORAGE_URL: z
    .string()
    .refine(
      (value) => !/^postgres(ql)?:.*,/.test(value) || HOST_LIST.test(value),
      "must name each host between commas, like postgres://user@a:5432,b:5433/database",
    )
    .default("sqlite:./data"),
  STORAGE_REQUIRE_STANDBY: z.enum(["0", "1"], "must be 0 or 1").default("0"),
};
