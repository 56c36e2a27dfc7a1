import { answer, api } from "../ui/api/client.ts";
import { useLoad } from "../ui/api/load.ts";

/** Says that no e-mail is sent without mail set-up, and what to do instead. */
export function MailNotice({ instead }: { instead: string }) {
  const mail = useLoad((signal) => answer(api.GET("/api/v2/company/mail", { signal })));
  if (mail.data.value?.is_set_up !== false) return null;
  return (
    <p class="notice warn small">
      <span>
        <a href="/admin/settings/mail">Mail is not set up</a>, so no e-mail is sent. {instead}
      </span>
    </p>
  );
}
