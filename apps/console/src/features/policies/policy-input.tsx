import { stringifyWithBigInts } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { CodeField } from '../../ui/code-field';
import { FailurePanel } from '../../ui/failure-panel';
import { relativeTime } from '../../ui/relative-time';
import { SelectField } from '../../ui/select-field';
import { useDecisionInput, recentDecisionsQuery, type Decision } from './policies.queries';

/** The most important parts of the input that the start of an execution has. */
export const EXAMPLE_INPUT = JSON.stringify(
  {
    action: 'execute',
    entity: { type: 'agent', name: 'greeter' },
    execution: { type: 'agent', prompt: 'Write a greeting.', trigger_type: 'manual', job_id: null, metadata: {} },
    user: { email: 'ann@example.com', name: 'Ann' },
  },
  null,
  2,
);

interface PolicyInputProps {
  readonly policyId: string;
  readonly text: string;
  /** Why the text is no input. */
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

/** The input with which a source is tried: written, or that of a recent decision. */
export function PolicyInput({ policyId, text, fault, onChange }: PolicyInputProps) {
  const recent = useQuery(recentDecisionsQuery(useSession(), policyId));
  const past = useDecisionInput();
  const take = (decisionId: string): void => {
    if (decisionId === '') onChange(EXAMPLE_INPUT);
    else past.mutate(decisionId, { onSuccess: ({ input }) => onChange(stringifyWithBigInts(input ?? {}, 2)) });
  };
  return (
    <>
      <SelectField
        label="Start from the input of"
        options={[{ value: '', label: 'an example' }, ...(recent.data ?? []).map(optionOf)]}
        defaultValue=""
        onChange={({ target }) => take(target.value)}
      />
      {past.error !== null && <FailurePanel error={past.error} />}
      {past.data?.input === null && (
        <output className="text-warning">
          The input of this decision was too large to store, or takes the scope tasks:read.
        </output>
      )}
      <CodeField
        label="Input of the trial"
        language="json"
        help="What an execution would ask, as JSON. Empty: the source is only compiled."
        fault={fault}
        rows={10}
        value={text}
        onChange={onChange}
      />
    </>
  );
}

function optionOf({ id, allowed, at, action, entity_type }: Decision) {
  const verdict = allowed ? 'allowed' : 'denied';
  const about = [action, entity_type].filter(Boolean).join(', ');
  return { value: id, label: `${verdict} ${relativeTime(new Date(at), new Date())}: ${about}` };
}
