import type { components } from "../api/types.ts";
import { ContractText } from "../contract-text.tsx";
import { Checkbox, Select, TextArea, TextField } from "./field.tsx";
import type { FormState } from "./form.tsx";
import { t } from "../../languages/messages.ts";

type Question = components["schemas"]["SignupQuestion"];
type Contract = components["schemas"]["JoinContract"];

/** What a campaign asks of people who join it. */
export interface Asked {
  questions: Question[];
  terms: string | null;
  contracts: Contract[];
}

/** The values of a form with a campaign's questions, by the questions' text, like the API's errors. */
type Values = Record<string, string | boolean>;

/** The initial values of a form with questions, terms and contracts. */
export function initialAnswers({ questions, contracts }: Asked): Values {
  const answers = questions.map(({ label }) => [label, ""]);
  const signatures = contracts.map((contract) => [boxOf(contract), false]);
  return { ...Object.fromEntries([...answers, ...signatures]), terms_accepted: false };
}

/** The values as the API expects them. */
export function answersOf({ questions, contracts }: Asked, values: Values) {
  const signed = contracts.filter((contract) => values[boxOf(contract)] === true);
  const answers = questions.map(({ label }): [string, string] => [label, String(values[label] ?? "")]);
  return {
    answers: Object.fromEntries(answers.filter(([, answer]) => answer !== "")),
    terms_accepted: values["terms_accepted"] === true,
    ...(signed.length > 0 && { signed_contract_version_ids: signed.map(({ version_id: id }) => id) }),
  };
}

/** The name of the box that signs a contract. */
export function boxOf({ version_id: id }: Contract): string {
  return `contract ${id}`;
}

/** The questions, the terms and the contracts of a campaign. */
export function Questions({
  form,
  asked: { questions, terms, contracts },
}: {
  form: FormState<Values>;
  asked: Asked;
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
      {contracts.map((contract) => (
        <Signature key={contract.version_id} form={form} contract={contract} />
      ))}
    </>
  );
}

/** The text of a contract, and the box that signs it. */
export function Signature({ form, contract }: { form: FormState<Values>; contract: Contract }) {
  const { name, content, external_link: link, checkbox_label: label } = contract;
  return (
    <>
      {content === null ? (
        <p>
          <a href={link ?? ""} target="_blank" rel="noreferrer">
            {name}
          </a>
        </p>
      ) : (
        <details>
          <summary>{name}</summary>
          <ContractText content={content} label={name} />
        </details>
      )}
      <Checkbox form={form as FormState<Record<string, boolean>>} name={boxOf(contract)} label={label} />
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
