import type { ReactNode } from 'react';
import type { FormField } from '../api/form';
import { CodeBlock } from '../ui/code-block';
import { Facts, type Fact } from '../ui/facts';
import { Time } from '../ui/time';
import { labelOf, shownText, type Values } from './form-values';

interface ResourceFactsProps {
  readonly id: string;
  readonly row: Values;
  readonly fields: readonly FormField[];
  /** Names of the fields that are shown only if they have a value. */
  readonly folded: readonly string[];
  readonly others: readonly Fact[];
}

/** The stored values of a resource. */
export function ResourceFacts({ id, row, fields, folded, others }: ResourceFactsProps) {
  const isWorthIt = (field: FormField): boolean =>
    !folded.includes(field.name) || shownText(field, row[field.name]) !== '';
  const shown = fields.filter((field) => field.name !== 'name' && field.name in row && isWorthIt(field));
  const times = [
    { label: 'Created', at: row['created_at'] },
    { label: 'Changed', at: row['updated_at'] },
  ].filter((time): time is { label: string; at: string } => typeof time.at === 'string');
  return (
    <Facts
      facts={[
        { label: 'Id', value: <span className="font-mono text-sm break-all">{id}</span> },
        ...shown.map((field) => ({ label: labelOf(field.name), value: shownValue(field, row[field.name]) })),
        ...others,
        ...times.map(({ label, at }) => ({ label, value: <Time at={at} none="" /> })),
      ]}
    />
  );
}

function shownValue(field: FormField, value: unknown): ReactNode {
  if (field.kind === 'flag') return value === true ? 'yes' : 'no';
  const text = shownText(field, value);
  if (text === '') return <span className="text-quiet">none</span>;
  if (field.kind === 'json') return <CodeBlock label={labelOf(field.name)} text={text} />;
  return <span className="whitespace-pre-wrap">{text}</span>;
}
