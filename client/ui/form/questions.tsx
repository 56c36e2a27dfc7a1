import type { components } from "../api/types.ts";
import { Checkbox, Select, TextArea, TextField } from "./field.tsx";
import type { FormState } from "./form.tsx";
import { t } from "../../languages/messages.ts";

type Question = components["schemas"]["SignupQuestion"];

/** The values of a form with a campaign's questions, by the questions' text, like the API's errors. */
type Values = Record<string, string | boolean>;

/** The initial values of a form with questions and terms. */
export function initialAnswers(questions: Question[]): Values {
  const answers = questions.map(({ label }) => [label, ""]);
  return { ...Object.fromEntries(answers), terms_accepted: false };
}

/** The values as the API expects them. */
export function answersOf(questions: Question[], values: Values) {
  const answers = questions.map(({ label }): [string, string] => [label, String(values[label] ?? "")]);
  return {
    answers: Object.fromEntries(answers.filter(([, answer]) => answer !== "")),
    terms_accepted: values["terms_accepted"] === true,
  };
}

/** The questions and the terms of a campaign. */
export function Questions({
  form,
  questions,
  terms,
}: {
  form: FormState<Values>;
  questions: Question[];
  terms: string | null;
}) {
  const texts = form as FormState<Record<string, string>>;
  return (
    <>
      {questions.map((question) => (
        <Field key={question.label} form={texts} question={question} />
      ))}
      {terms !== null && (
        <>
          <details>
            <summary>{t("terms")}</summary>
            <p class="terms">{terms}</p>
          </details>
          <Checkbox
            form={form as FormState<{ terms_accepted: boolean }>}
            name="terms_accepted"
            label={t("terms.accept")}
          />
        </>
      )}
    </>
  );
}

function Field({ form, question }: { form: FormState<Record<string, string>>; question: Question }) {
  const { label, is_required: required, is_long: isLong, choices } = question;
  const common = { form, name: label, label: required ? label : t("optional", { label }), required };
  if (choices.length > 0) {
    const options = [["", t("choose_one")], ...choices.map((choice) => [choice, choice])] as [
      string,
      string,
    ][];
    return <Select {...common} options={options} />;
  }
  return isLong ? <TextArea {...common} /> : <TextField {...common} />;
}
