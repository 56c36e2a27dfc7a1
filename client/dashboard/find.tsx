import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { answer, api } from "../ui/api/client.ts";
import { useLoad } from "../ui/api/load.ts";
import { Dialog } from "../ui/feedback/dialog.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { PAGES } from "./pages.ts";
import { may } from "./session/session.ts";

/** The most hits of one kind. A longer text finds fewer. */
const MOST = 5;
/** Long enough for a word to be typed, short enough not to be noticed. */
const PAUSE_MS = 250;

interface Hit {
  href: string;
  title: string;
  detail?: string | null;
}

interface Group {
  title: string;
  hits: Hit[];
}

/** Opens the search by `/` outside of fields, and by Ctrl-K or Cmd-K anywhere, unless a dialog is open. */
export function useFindKeys(open: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isCommand && !(isSlash && !isTyping(event.target))) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** Finds pages, promoters, leads, promo codes and sales by a text. */
export function Find({ onClose }: { onClose: () => void }) {
  const typed = useSignal("");
  const asked = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => (asked.value = typed.value.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const text = typed.value.trim();
  const found = useLoad((signal) => findRecords(asked.value, signal), [asked.value]);
  const isCurrent = asked.value === text && !found.isLoading.value;
  const groups = [pagesWith(text), ...(asked.value === text ? (found.data.value ?? []) : [])].filter(
    ({ hits }) => hits.length > 0,
  );
  return (
    <Dialog title="Search" onClose={onClose}>
      <div
        class="stack"
        onKeyDown={(event) => {
          // Chromium would clear the field, and close the dialog only at the second time.
          if (event.key === "Escape") {
            event.preventDefault();
            onClose();
            return;
          }
          const step = STEPS[event.key];
          if (step === undefined) return;
          event.preventDefault();
          move(input.current, list.current, step);
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            list.current?.querySelector("a")?.click();
          }}
        >
          <input
            ref={input}
            class="input"
            type="search"
            autoFocus
            aria-label="Search for everything"
            placeholder="Name, e-mail, code, event or page"
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </form>
        {found.refusal.value && <Notice refusal={found.refusal.value} />}
        {/* A hit is a link, so the page that it leads to closes the search. */}
        <div ref={list} class="stack" onClick={({ target }) => isLink(target) && onClose()}>
          {groups.map((group) => (
            <Hits key={group.title} {...group} />
          ))}
        </div>
        <p class="hint" role="status">
          {text === "" ? HELP : isCurrent && groups.length === 0 ? `Nothing contains “${text}”.` : ""}
        </p>
      </div>
    </Dialog>
  );
}

function Hits({ title, hits }: Group) {
  return (
    <section class="found" aria-label={title}>
      <h3>{title}</h3>
      {hits.map(({ href, title: words, detail }) => (
        <a key={href} href={href}>
          {words} {detail && <small class="faint">{detail}</small>}
        </a>
      ))}
    </section>
  );
}

const HELP = "Press / or Ctrl-K on any page to search.";
const STEPS: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus between the field and the hits below it. */
function move(input: HTMLElement | null, list: HTMLElement | null, step: 1 | -1): void {
  const stops = [input, ...(list?.querySelectorAll("a") ?? [])];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[at + step]?.focus();
}

function pagesWith(text: string): Group {
  const wanted = text.toLowerCase();
  const hits = PAGES.flatMap(({ path, title, group, role = "viewer" }) => {
    const isFound = text !== "" && title?.toLowerCase().includes(wanted) && may(role);
    return isFound ? [{ href: path, title: title!, detail: group ?? null }] : [];
  });
  return { title: "Pages", hits: hits.slice(0, MOST) };
}

async function findRecords(q: string, signal: AbortSignal): Promise<Group[]> {
  if (q === "") return [];
  const query = { q, per_page: MOST };
  const [promoters, leads, codes, commissions] = await Promise.all([
    answer(
      api.GET("/api/v2/company/promoters", {
        params: { query: { ...query, "filters[archived]": "any" } },
        signal,
      }),
    ),
    answer(api.GET("/api/v2/company/referrals", { params: { query }, signal })),
    answer(api.GET("/api/v2/company/promo_codes", { params: { query }, signal })),
    answer(api.GET("/api/v2/company/commissions", { params: { query }, signal })),
  ]);
  return [
    {
      title: "Promoters",
      hits: promoters.data.map(({ id, name, email }) => ({
        href: `/admin/promoters/${id}`,
        title: name ?? email,
        detail: name === email ? null : email,
      })),
    },
    {
      title: "Leads",
      hits: leads.map(({ id, email, uid }) => ({
        href: `/admin/leads/${id}`,
        title: email ?? uid ?? `Lead ${id}`,
        detail: email === null ? null : uid,
      })),
    },
    {
      title: "Promo codes",
      hits: codes.map(({ code, reward }) => ({
        href: `/admin/promo-codes#q=${encodeURIComponent(code)}`,
        title: code,
        detail: reward.name,
      })),
    },
    { title: "Sales", hits: salesOf(commissions, q) },
  ];
}

/** The sales whose event ids contain the text. A sale has a commission for each promoter who earned by it. */
function salesOf(commissions: { event_id: string | null }[], q: string): Hit[] {
  const ids = commissions.flatMap(({ event_id: id }) =>
    id?.toLowerCase().includes(q.toLowerCase()) ? [id] : [],
  );
  return [...new Set(ids)].map((id) => ({
    href: `/admin/commissions#q=${encodeURIComponent(id)}`,
    title: id,
  }));
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

function isLink(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a") !== null;
}
