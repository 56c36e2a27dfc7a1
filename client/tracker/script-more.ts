import { start } from "./more.ts";

start();
