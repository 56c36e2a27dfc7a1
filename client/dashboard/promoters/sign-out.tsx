import { answer, api } from "../../ui/api/client.ts";
import { ask } from "../../ui/feedback/dialog.tsx";
import { tell } from "../../ui/feedback/tell.ts";
import type { Promoter } from "./words.ts";

/** Signs a promoter out of all browsers. */
export function SignOutButton({ promoter: { id, name } }: { promoter: Promoter }) {
  const action = "Sign out everywhere";
  const signOut = async () => {
    const text =
      "All their sessions in the portal end, and links that would sign them in stop working, also those with their auth token. Use it if someone else may be signed in.";
    if (!(await ask({ title: `Sign ${name} out everywhere`, text, action }))) return;
    await tell(async () => {
      const params = { path: { id } };
      return (await answer(api.POST("/api/v2/company/promoters/{id}/sign_out", { params }))).message;
    });
  };
  return (
    <button class="button" onClick={() => void signOut()}>
      {action}
    </button>
  );
}
