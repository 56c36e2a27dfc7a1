import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { components } from "../../ui/api/types.ts";

export type Translation = components["schemas"]["SignupTranslation"];
type Language = Translation["language"];

/** The names of the languages besides the one of the company's own texts. */
const NAMES: Record<Language, string> = {
  en: "English",
  de: "German",
  fr: "French",
  es: "Spanish",
  pt: "Portuguese",
  ja: "Japanese",
  he: "Hebrew",
};
const ALL = Object.keys(NAMES) as Language[];

/** The texts of a sign-up page in further languages. */
export function Translations({ translations }: { translations: Signal<Translation[]> }) {
  const { value: all } = translations;
  const open = ALL.filter((language) => !all.some((each) => each.language === language));
  const change = (language: Language, changes: Partial<Translation>) =>
    (translations.value = all.map((each) => (each.language === language ? { ...each, ...changes } : each)));
  return (
    <fieldset class="stack">
      <legend>In other languages</legend>
      <p class="hint">Promoters who read one of these see it instead. Leave a text empty to show yours.</p>
      {all.map(({ language, description, terms }) => (
        <div key={language} class="stack tight">
          <div class="row spread">
            <strong>{NAMES[language]}</strong>
            <button
              type="button"
              class="button plain little"
              onClick={() => (translations.value = all.filter((each) => each.language !== language))}
            >
              Remove<span class="unseen"> {NAMES[language]}</span>
            </button>
          </div>
          <Text
            label={`What it says in ${NAMES[language]}`}
            text={description}
            onText={(text) => change(language, { description: text })}
          />
          <Text
            label={`Terms in ${NAMES[language]}`}
            text={terms}
            onText={(text) => change(language, { terms: text })}
          />
        </div>
      ))}
      {open.length > 0 && (
        <select
          class="input"
          aria-label="Add a language"
          value=""
          onChange={({ currentTarget }) => {
            const language = currentTarget.value as Language;
            translations.value = [...all, { language, description: null, terms: null }];
          }}
        >
          <option value="">Add a language</option>
          {open.map((language) => (
            <option key={language} value={language}>
              {NAMES[language]}
            </option>
          ))}
        </select>
      )}
    </fieldset>
  );
}

interface TextProps {
  label: string;
  text: string | null;
  onText: (text: string | null) => void;
}

function Text({ label, text, onText }: TextProps) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        class="input"
        rows={3}
        dir="auto"
        value={text ?? ""}
        onInput={({ currentTarget: { value } }) => onText(value === "" ? null : value)}
      />
    </div>
  );
}
