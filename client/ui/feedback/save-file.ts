import { asRefusal } from "../api/refusal.ts";
import { toastRefusal } from "./toast.tsx";

/** Saves a file of this name. The page makes it, because a link could not send the token of a frame. */
export async function saveFile(name: string, make: () => Blob | Promise<Blob>): Promise<void> {
  try {
    const address = URL.createObjectURL(await make());
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    toastRefusal(asRefusal(error));
  }
}
