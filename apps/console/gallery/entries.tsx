import { ApiError } from '@app/api-client';
import { AbsentPage } from '../src/ui/absent-page';
import { Button } from '../src/ui/button';
import { CodeBlock } from '../src/ui/code-block';
import { CommandLines } from '../src/ui/command-lines';
import { CopyButton } from '../src/ui/copy-button';
import { Facts } from '../src/ui/facts';
import { FailurePanel } from '../src/ui/failure-panel';
import { PartFailure } from '../src/ui/part-failure';
import { Section } from '../src/ui/section';
import { Skeleton } from '../src/ui/skeleton';
import { Status } from '../src/ui/status';
import { StepGraph } from '../src/ui/step-graph';
import { Time } from '../src/ui/time';
import { Words } from '../src/ui/words';
import { ConfirmState, DialogState, SecretState } from './dialog-states';
import type { Entry } from './entry';
import { CODE_STATES, FIELD_STATES } from './field-states';
import { TABLE_STATES } from './table-states';

const STATUSES = [
  ...['pending', 'running', 'waiting_for_input', 'paused'],
  ...['completed', 'failed', 'cancelled', 'terminated'],
];
const HOSTILE = '<script>alert(1)</script> \u202Egnp.exe';
const refused = new ApiError(409, 'conflict', { detail: `The agent ${HOSTILE} is in use` }, null);
const QUERY = { isPending: false, error: refused, refetch: () => Promise.reject(refused) };
const STEPS = [
  { name: 'outline', detail: 'prompt', status: 'completed', before: [] },
  { name: 'review', detail: 'agent', status: 'running', before: ['outline'] },
  { name: 'publish', detail: 'tool', status: null, before: ['outline', 'review'] },
];

/** Every part of `ui/`, with its states, on fixed data. */
export const ENTRIES: readonly Entry[] = [
  {
    part: 'button',
    states: [
      () => <Button kind="primary">Primary</Button>,
      () => <Button>Secondary</Button>,
      () => <Button kind="danger">Danger</Button>,
      () => <Button kind="plain">Plain</Button>,
      () => <Button isBusy>Busy</Button>,
      () => <Button disabledReason="This takes the scope admin">Not allowed</Button>,
    ],
  },
  ...FIELD_STATES,
  ...CODE_STATES,
  { part: 'code-block', states: [() => <CodeBlock label="Output" text={HOSTILE} />] },
  {
    part: 'command-lines',
    states: [() => <CommandLines lines={[{ does: 'Its versions', command: `agentctl ${HOSTILE}` }]} />],
  },
  {
    part: 'copy-button',
    states: [
      () => (
        <div>
          <input id="copied" aria-label="Copied text" readOnly value="text" />
          <CopyButton text="text" fieldId="copied" />
        </div>
      ),
    ],
  },
  { part: 'dialog', states: [DialogState] },
  { part: 'confirm-dialog', states: [ConfirmState] },
  { part: 'secret-dialog', states: [SecretState] },
  { part: 'facts', states: [() => <Facts facts={[{ label: 'Name', value: HOSTILE }]} />] },
  {
    part: 'failure-panel',
    states: [
      () => <FailurePanel error={refused} onRetry={() => undefined} />,
      () => <FailurePanel error={new TypeError('Failed to fetch')} />,
    ],
  },
  {
    part: 'absent-page',
    states: [
      () => <AbsentPage one="agent" query={{ ...QUERY, isPending: true }} />,
      () => <AbsentPage one="agent" query={QUERY} />,
    ],
  },
  { part: 'part-failure', states: [PartFailure] },
  {
    part: 'section',
    states: [
      () => (
        <Section title="A section" actions={<Button kind="plain">Act</Button>}>
          Text
        </Section>
      ),
    ],
  },
  { part: 'skeleton', states: [() => <Skeleton rows={2} label="Loading the rows" />] },
  {
    part: 'status',
    states: [...STATUSES, 'unknown_to_this_version'].map((status) => () => <Status of={status} />),
  },
  { part: 'step-graph', inside: 'step-canvas', states: [() => <StepGraph steps={STEPS} />] },
  ...TABLE_STATES,
  {
    part: 'time',
    states: [() => <Time at="2026-11-27T10:00:00.000Z" none="never" />, () => <Time at={null} none="never" />],
  },
  { part: 'words', states: [() => <Words text="Set `max_steps` to a number" />] },
];
