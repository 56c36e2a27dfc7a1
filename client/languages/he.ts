import type { Catalogue } from "./en.ts";
export const he = {} as Catalogue;
