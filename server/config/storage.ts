import { z } from "zod";

const HOST = /(?:[^\s:,@/?#[\]]+|\[[\da-f:.]+\])(?::\d{1,5})?/.source;
/** As libpq writes it: `postgres://user@a:5432,b:5433/database`. */
const HOST_LIST = new RegExp(`^postgres(ql)?://([^/?#]*@)?${HOST}(,${HOST})*([/?#].*)?$`, "i");

/** The settings that say where a store is. Other schemes are refused when the store is opened. */
export const storageSettings = {
  STORAGE_URL: z
    .string()
    .refine(
      (value) => !/^postgres(ql)?:.*,/.test(value) || HOST_LIST.test(value),
      "must name each host between commas, like postgres://user@a:5432,b:5433/database",
    )
    .default("sqlite:./data"),
};
