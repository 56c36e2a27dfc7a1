import type { Catalogue } from "./en.ts";
export const pt = {} as Catalogue;
