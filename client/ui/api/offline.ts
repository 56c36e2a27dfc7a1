import { signal } from "@preact/signals";

/** Whether the server is unreachable. It is set by each request, and by the browser's network events. */
export const isOffline = signal(!navigator.onLine);

addEventListener("offline", () => (isOffline.value = true));
addEventListener("online", () => (isOffline.value = false));
