import { t } from "../../languages/messages.ts";

/** The signed-in user, with a button to sign out. */
export function Who({ name, email, signOut }: { name: string; email: string; signOut: () => Promise<void> }) {
  return (
    <div class="stack tight">
      <span class="small soft one-line" title={email}>
        {name}
      </span>
      <div>
        <button class="button plain little" onClick={signOut}>
          {t("sign_out")}
        </button>
      </div>
    </div>
  );
}
