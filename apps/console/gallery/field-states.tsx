import { useState } from 'react';
import { CheckField } from '../src/ui/check-field';
import { CheckList } from '../src/ui/check-list';
import { CodeChanges } from '../src/ui/code-changes';
import { CodeField } from '../src/ui/code-field';
import { FieldNotes, Labelled } from '../src/ui/labelled';
import { SelectField } from '../src/ui/select-field';
import { TextAreaField } from '../src/ui/text-area-field';
import { TextField } from '../src/ui/text-field';
import type { Entry } from './entry';

const OPTIONS = [
  { value: 'a', label: 'First' },
  { value: 'b', label: 'Second' },
];
const FAULT = 'Field required';
const BEFORE = 'package policies\n\nallow if true\n';
const AFTER = 'package policies\n\nallow if input.agent.name == "greeter"\n';

export const FIELD_STATES: readonly Entry[] = [
  {
    part: 'text-field',
    states: [
      () => <TextField label="Name" help="Unique in the organization" defaultValue="greeter" />,
      () => <TextField label="Name with a fault" fault={FAULT} />,
      () => <TextField label="Disabled name" disabled defaultValue="fixed" />,
    ],
  },
  {
    part: 'text-area-field',
    states: [
      () => <TextAreaField label="Prompt" help="A template" rows={3} />,
      () => <TextAreaField label="Prompt with a fault" fault={FAULT} rows={3} />,
    ],
  },
  {
    part: 'select-field',
    states: [
      () => <SelectField label="Choice" options={OPTIONS} />,
      () => <SelectField label="Choice with a fault" options={OPTIONS} fault={FAULT} />,
    ],
  },
  {
    part: 'check-field',
    states: [
      () => <CheckField label="On" help="What it does" defaultChecked />,
      () => <CheckField label="Off" disabled />,
    ],
  },
  { part: 'check-list', states: [() => <CheckList name="list" label="Some" options={OPTIONS} chosen={['b']} />] },
  {
    part: 'labelled',
    states: [
      () => <Labelled label="Own field">{(description) => <input {...description} />}</Labelled>,
      () => <FieldNotes id="notes" help="Help of a field" fault={FAULT} />,
    ],
  },
];

function RegoField() {
  const [value, setValue] = useState(BEFORE);
  const faults = [{ line: 3, column: 1, message: 'A fault of the gallery' }];
  return <CodeField label="Policy" language="rego" rows={6} value={value} faults={faults} onChange={setValue} />;
}

function JsonField() {
  const [value, setValue] = useState('{"a": [1, true]}');
  return <CodeField label="Input" help="JSON" language="json" rows={3} value={value} onChange={setValue} />;
}

export const CODE_STATES: readonly Entry[] = [
  { part: 'code-field', inside: 'code-editor', states: [RegoField, JsonField] },
  {
    part: 'code-changes',
    inside: 'code-comparison',
    states: [
      () => <CodeChanges label="Changes" language="rego" before={BEFORE} after={AFTER} />,
      () => <CodeChanges label="No changes" language="rego" before={BEFORE} after={BEFORE} />,
    ],
  },
];
