import { stringifyWithBigInts } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../session/session-context';
import { CodeField } from '../../ui/code-field';
import { FailurePanel } from '../../ui/failure-panel';
import { relativeTime } from '../../ui/relative-time';
import { SelectField } from '../../ui/select-field';
import { decisionQuery, recentDecisionsQuery, type Decision } from './policies.queries';
import { triedDecision, trying } from './policies.search';
import { usePolicySearch } from './use-policy-search';

/** The most important parts of the input that the start of an execution has. */
const EXAMPLE_INPUT = JSON.stringify(
  {
    action: 'execute',
    entity: { type: 'agent', name: 'greeter' },
    execution: { type: 'agent', prompt: 'Write a greeting.', trigger_type: 'manual', job_id: null, metadata: {} },
    user: { email: 'ann@example.com', name: 'Ann' },
  },
  null,
  2,
);

/** The text of an input: what a person wrote, or else that of the decision that the address names, or an example. */
export function useInputText(policyId: string): readonly [string, (text: string) => void] {
  const decisionId = triedDecision(usePolicySearch(policyId)[0]);
  const { data } = useQuery(decisionQuery(useSession(), decisionId));
  const [written, setWritten] = useState<{ readonly over: string | undefined; readonly text: string } | null>(null);
  const start = decisionId === undefined ? EXAMPLE_INPUT : data?.input ? stringifyWithBigInts(data.input, 2) : '';
  // Another decision replaces what was written about the one before.
  const text = written !== null && written.over === decisionId ? written.text : start;
  return [text, (next) => setWritten({ over: decisionId, text: next })];
}

interface PolicyInputProps {
  readonly policyId: string;
  readonly text: string;
  /** Why the text is no input. */
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

/** The input with which a source is tried: written, or that of a recent decision. */
export function PolicyInput({ policyId, text, fault, onChange }: PolicyInputProps) {
  const session = useSession();
  const [search, show] = usePolicySearch(policyId);
  const decisionId = triedDecision(search);
  const recent = useQuery(recentDecisionsQuery(session, policyId));
  const decision = useQuery(decisionQuery(session, decisionId));
  return (
    <>
      <SelectField
        label="Start from the input of"
        options={optionsOf(recent.data ?? [], decisionId)}
        value={decisionId ?? ''}
        onChange={({ target }) => show(trying(search, target.value || undefined))}
      />
      {decision.error !== null && <FailurePanel error={decision.error} />}
      {decision.data?.input === null && (
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

/** An example, the newest decisions, and the one of the address if it is an older one. */
function optionsOf(recent: readonly Decision[], chosen: string | undefined) {
  const isOlder = chosen !== undefined && !recent.some(({ id }) => id === chosen);
  return [
    { value: '', label: 'an example' },
    ...(isOlder ? [{ value: chosen, label: `the decision ${chosen}` }] : []),
    ...recent.map(optionOf),
  ];
}

function optionOf({ id, allowed, at, action, entity_type }: Decision) {
  const verdict = allowed ? 'allowed' : 'denied';
  const about = [action, entity_type].filter(Boolean).join(', ');
  return { value: id, label: `${verdict} ${relativeTime(new Date(at), new Date())}: ${about}` };
}
