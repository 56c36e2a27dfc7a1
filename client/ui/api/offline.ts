import { signal } from "@preact/signals";

/** Whether the server can't be reached. Each request sets it, and so does the browser when its network goes or comes. */
export const isOffline = signal(!navigator.onLine);

addEventListener("offline", () => (isOffline.value = true));
addEventListener("online", () => (isOffline.value = false));
