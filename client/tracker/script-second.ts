import { start } from "./second.ts";

start();
