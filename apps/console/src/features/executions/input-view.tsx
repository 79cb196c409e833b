import { stringifyWithBigInts } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../session/session-context';
import { CodeBlock } from '../../ui/code-block';
import { FailurePanel } from '../../ui/failure-panel';
import { Section } from '../../ui/section';
import { timelineQuery, type Execution } from './executions.queries';
import { decisionQuery } from './record.queries';

/** What the run was started with, and what policies said to that. */
export function InputView({ execution }: { readonly execution: Execution }) {
  const { id, prompt, system_prompt, execution_metadata } = execution;
  return (
    <>
      <CodeBlock label="Prompt" text={prompt ?? ''} />
      {system_prompt !== null && <CodeBlock label="System prompt" text={system_prompt} />}
      <CodeBlock label="Metadata" text={stringifyWithBigInts(execution_metadata, 2)} />
      <PolicyDecision executionId={id} />
    </>
  );
}

function PolicyDecision({ executionId }: { readonly executionId: string }) {
  const session = useSession();
  const { data: timeline } = useQuery(timelineQuery(session, executionId));
  const decisionId = timeline?.policy_decision_id ?? null;
  const { data: decision, error } = useQuery(decisionQuery(session, decisionId));
  if (decisionId === null) return null;
  return (
    <Section title="Policy decision">
      <Link to="/decisions/$id" params={{ id: decisionId }} className="text-accent underline">
        {decision === undefined ? decisionId : decision.allowed ? 'Allowed' : 'Denied'}
      </Link>
      {error !== null && <FailurePanel error={error} />}
      {decision !== undefined && decision.input !== null && (
        <ul className="flex flex-col gap-1">
          {decision.policies.map(({ policy_id, policy_name }) => (
            <li key={policy_id}>
              {policy_name}:{' '}
              <Link
                to="/policies/$id"
                params={{ id: policy_id }}
                search={{ input: `decision:${decisionId}` }}
                className="text-accent underline"
              >
                Open in the editor with this input
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
