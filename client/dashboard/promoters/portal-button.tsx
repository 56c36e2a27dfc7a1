import { answer, api } from "../../ui/api/client.ts";
import { tell } from "../../ui/feedback/tell.ts";
import type { Promoter } from "./query.ts";

/** Opens the portal as this promoter sees it, in a new window. */
export function PortalButton({ promoter: { id, name } }: { promoter: Promoter }) {
  const open = () => {
    // Only a click may open a window, so it is opened before the answer arrives.
    const portal = window.open("about:blank");
    return tell(async () => {
      const params = { path: { id } };
      try {
        const { url } = await answer(api.POST("/api/v2/company/promoters/{id}/portal_view", { params }));
        portal?.location.replace(url);
      } catch (error) {
        portal?.close();
        throw error;
      }
      return `You see the portal as ${name} for 15 minutes`;
    });
  };
  return (
    <button class="button" onClick={open}>
      See their portal
    </button>
  );
}
