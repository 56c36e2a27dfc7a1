import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { components } from "../ui/api/types.ts";

export type Language = components["schemas"]["EmailTranslation"]["language"];

/** The languages of promoters, by their English names. */
export const LANGUAGES: Record<Language, string> = {
  en: "English",
  de: "German",
  fr: "French",
  es: "Spanish",
  pt: "Portuguese",
  ja: "Japanese",
  he: "Hebrew",
};

const ALL = Object.keys(LANGUAGES) as Language[];

/** The options of a field whose value is a language. */
export const LANGUAGE_OPTIONS = ALL.map((language) => [language, LANGUAGES[language]] as const);

interface Props<T extends { language: Language }> {
  hint: string;
  translations: Signal<T[]>;
  /** The texts that a language begins with. */
  begin: (language: Language) => T | Promise<T>;
  /** The fields of a language. */
  fields: (translation: T, change: (changes: Partial<T>) => void) => ComponentChildren;
}

/** The company's texts in further languages, which are added one by one. */
export function Translations<T extends { language: Language }>({
  hint,
  translations,
  begin,
  fields,
}: Props<T>) {
  const { value: all } = translations;
  const open = ALL.filter((language) => !all.some((each) => each.language === language));
  const change = (language: Language, changes: Partial<T>) =>
    (translations.value = all.map((each) => (each.language === language ? { ...each, ...changes } : each)));
  return (
    <fieldset class="stack">
      <legend>In other languages</legend>
      <p class="hint">{hint}</p>
      {all.map((translation) => {
        const { language } = translation;
        return (
          <div key={language} class="stack tight">
            <div class="row spread">
              <strong>{LANGUAGES[language]}</strong>
              <button
                type="button"
                class="button plain little"
                onClick={() => (translations.value = all.filter((each) => each.language !== language))}
              >
                Remove<span class="unseen"> {LANGUAGES[language]}</span>
              </button>
            </div>
            {fields(translation, (changes) => change(language, changes))}
          </div>
        );
      })}
      {open.length > 0 && (
        <select
          class="input"
          aria-label="Add a language"
          value=""
          onChange={({ currentTarget }) => {
            const language = currentTarget.value as Language;
            void Promise.resolve(begin(language)).then((made) => {
              const others = translations.value.filter((each) => each.language !== language);
              translations.value = [...others, made];
            });
          }}
        >
          <option value="">Add a language</option>
          {open.map((language) => (
            <option key={language} value={language}>
              {LANGUAGES[language]}
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
  /** 1 for a line. */
  rows?: number;
}

/** A translated text. Empty: the same as in the main text. */
export function TranslatedText({ label, text, onText, rows = 3 }: TextProps) {
  const id = useId();
  const shared = {
    id,
    class: "input",
    dir: "auto" as const,
    value: text ?? "",
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onText(value === "" ? null : value),
  };
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {rows === 1 ? <input type="text" maxLength={255} {...shared} /> : <textarea rows={rows} {...shared} />}
    </div>
  );
}
