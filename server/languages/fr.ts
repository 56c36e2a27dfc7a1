import type { Catalogue } from "./en.ts";
export const fr = {} as Catalogue;
