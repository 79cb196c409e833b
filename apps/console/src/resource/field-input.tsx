import type { FormField } from '../api/form';
import { CheckField } from '../ui/check-field';
import { CheckList } from '../ui/check-list';
import { SelectField, type Option } from '../ui/select-field';
import { TextAreaField } from '../ui/text-area-field';
import { TextField } from '../ui/text-field';
import { Words } from '../ui/words';
import { labelOf, shownText } from './form-values';
import type { Choices } from './resource';

interface FieldInputProps {
  readonly field: FormField;
  /** The stored value, or the one to start from. */
  readonly value: unknown;
  /** What can be chosen; null: nothing is offered. */
  readonly choices: Choices;
  readonly isRequired: boolean;
  readonly fault: string | undefined;
}

/** One field of a form, as its kind asks for. */
export function FieldInput({ field, value, choices, isRequired, fault }: FieldInputProps) {
  const { name, kind, example, minLength, maxLength, minimum, maximum } = field;
  const label = labelOf(name);
  const words = helpOf(field, choices);
  const help = words === '' ? undefined : <Words text={words} />;
  const text = shownText(field, value);
  const common = { name, label, help, fault, defaultValue: text, required: isRequired };
  if (kind === 'flag') return <CheckField name={name} label={label} help={help} defaultChecked={value === true} />;
  if (kind === 'lines' && choices !== null) {
    const chosen = (value ?? []) as readonly string[];
    return <CheckList name={name} label={label} help={help} options={withChosen(choices, chosen)} chosen={chosen} />;
  }
  const options = kind === 'choice' ? (field.choices ?? []).map((one) => ({ value: one, label: one })) : choices;
  if (options !== null) {
    // Browsers refuse a required choice only if its first option, without a value, is the chosen one.
    const offered = isRequired && text !== '' ? options : [NOTHING, ...options];
    return <SelectField {...common} options={withChosen(offered, [text])} />;
  }
  if (kind === 'integer' || kind === 'number') {
    return <TextField {...common} type="number" step={kind === 'integer' ? 1 : 'any'} min={minimum} max={maximum} />;
  }
  if (kind === 'line') {
    return <TextField {...common} minLength={minLength} maxLength={maxLength} placeholder={example} />;
  }
  const className = kind === 'json' ? 'font-mono text-sm' : '';
  return <TextAreaField {...common} className={className} maxLength={maxLength} placeholder={example} />;
}

const NOTHING: Option = { value: '', label: '–' };

/** What is chosen stays on offer, also when it is no longer there. */
function withChosen(options: readonly Option[], chosen: readonly string[]): readonly Option[] {
  const missing = chosen.filter((one) => !options.some(({ value }) => value === one));
  return [...options, ...missing.map((one) => ({ value: one, label: one }))];
}

/** What descriptions say to those who write requests, and what a form says instead: it shows what is set on creation. */
const WORDS_OF_REQUESTS = [
  [/^\w+(?:, as free text)?$/, ''],
  [/; null for none$/, ''],
  [/; null for /, '; empty for '],
  [/\. Default \S+ on creation$/, ''],
] as const;

function helpOf({ kind, help }: FormField, choices: Choices): string {
  const own = WORDS_OF_REQUESTS.reduce<string>((text, [word, shown]) => text.replace(word, shown), help);
  const ending = kind === 'lines' && choices === null ? 'One on each line' : kind === 'json' ? 'As JSON' : '';
  return [own, ending].filter(Boolean).join('. ');
}
