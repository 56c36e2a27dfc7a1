import type { ComponentType } from "preact";
import { lazy } from "../ui/shell/lazy.tsx";
import type { Role } from "./session/session.ts";

/** A page of the dashboard. */
export interface PageRow {
  path: string;
  component: ComponentType;
  /** Its name in the navigation. Absent: it is reached from another page. */
  title?: string;
  /** The heading that it stands under in the navigation. */
  group?: "Program" | "Money" | "Settings";
  /** The least role that may see it, `viewer` by default. The server decides what it may do. */
  role?: Role;
}

/** All pages, in the order of the navigation. */
export const PAGES: PageRow[] = [
  { path: "/admin", title: "Home", component: lazy(async () => (await import("./home/home.tsx")).Home) },
];
