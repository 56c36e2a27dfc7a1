import { useSignal, type Signal } from "@preact/signals";
import type { components } from "../../ui/api/types.ts";
import { TextArea } from "../../ui/form/field.tsx";
import { fillForm, Form, useForm } from "../../ui/form/form.tsx";
import { LANGUAGES, TranslatedText, Translations } from "../languages.tsx";
import { may } from "../session/session.ts";
import type { CampaignViewProps } from "./campaign.tsx";
import type { Campaign } from "./choices.tsx";
import { saveCampaign } from "./save.ts";

type Translation = components["schemas"]["SignupTranslation"];
type Question = components["schemas"]["SignupQuestion"];

const NEW: Question = { label: "", is_long: false, is_required: false, choices: [] };

/** What the sign-up page says and asks. */
export function SignupPageSettings(props: CampaignViewProps) {
  const { signup, signup_url: url } = props.campaign;
  const form = useForm(textsOf(signup));
  const questions = useSignal<Question[]>(signup.questions);
  const translations = useSignal<Translation[]>(signup.translations);
  return (
    <div class="card">
      <Form
        form={form}
        action="Save the sign-up page"
        others={
          <a class="button" href={url} target="_blank" rel="noopener">
            Open it
          </a>
        }
        onSubmit={async (given) => {
          const { signup: saved } = await saveCampaign(props, {
            signup: { ...given, questions: questions.value, translations: translations.value },
          });
          fillForm(form, textsOf(saved));
          questions.value = saved.questions;
          translations.value = saved.translations;
        }}
      >
        <fieldset class="stack" disabled={!may("manager")}>
          <TextArea form={form} name="description" label="What it says above the form" rows={4} />
          <TextArea
            form={form}
            name="terms"
            label="Terms that they must accept"
            hint="People who apply accept them here, all others when they next open their portal, also when you change them. Leave it empty for none."
            rows={4}
          />
          <Translations
            translations={translations}
            hint="Promoters who read one of these see it instead. Leave a text empty to show yours."
            begin={(language) => ({ language, description: null, terms: null })}
            fields={({ language, description, terms }, change) => (
              <>
                <TranslatedText
                  label={`What it says in ${LANGUAGES[language]}`}
                  text={description}
                  onText={(text) => change({ description: text })}
                />
                <TranslatedText
                  label={`Terms in ${LANGUAGES[language]}`}
                  text={terms}
                  onText={(text) => change({ terms: text })}
                />
              </>
            )}
          />
          <Questions questions={questions} />
        </fieldset>
      </Form>
    </div>
  );
}

function textsOf({ description, terms }: Campaign["signup"]) {
  return { description: description ?? "", terms: terms ?? "" };
}

function Questions({ questions }: { questions: Signal<Question[]> }) {
  const change = (at: number, changes: Partial<Question>) =>
    (questions.value = questions.value.map((each, index) => (index === at ? { ...each, ...changes } : each)));
  const remove = (at: number) => (questions.value = questions.value.filter((_, index) => index !== at));
  return (
    <fieldset class="stack">
      <legend>Your questions</legend>
      {questions.value.map((question, at) => (
        <QuestionFields
          key={at}
          number={at + 1}
          question={question}
          change={(changes) => change(at, changes)}
          remove={() => remove(at)}
        />
      ))}
      <div>
        <button
          type="button"
          class="button little"
          onClick={() => (questions.value = [...questions.value, NEW])}
        >
          Add a question
        </button>
      </div>
    </fieldset>
  );
}

function QuestionFields({
  number,
  question,
  change,
  remove,
}: {
  number: number;
  question: Question;
  change: (changes: Partial<Question>) => void;
  remove: () => void;
}) {
  const { label, choices, is_long: isLong, is_required: isRequired } = question;
  return (
    <div class="row">
      <input
        class="input grow"
        aria-label={`Question ${number}`}
        placeholder="Where will you write about us?"
        required
        value={label}
        onInput={(event) => change({ label: event.currentTarget.value })}
      />
      <input
        class="input grow"
        aria-label={`Choices of question ${number}`}
        placeholder="Choices, separated by commas, or empty for any text"
        value={choices.join(", ")}
        onChange={(event) => change({ choices: wordsOf(event.currentTarget.value) })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isRequired}
          onInput={(event) => change({ is_required: event.currentTarget.checked })}
        />
        Needed
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={isLong}
          onInput={(event) => change({ is_long: event.currentTarget.checked })}
        />
        Several lines
      </label>
      <button type="button" class="button plain little" onClick={remove}>
        Remove<span class="unseen"> question {number}</span>
      </button>
    </div>
  );
}

function wordsOf(list: string): string[] {
  return list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
