import { stringifyWithBigInts } from '@app/api-client';
import { Link } from '@tanstack/react-router';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { FailurePanel } from '../../ui/failure-panel';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { Table } from '../../ui/table';
import { useReplay, type Decision } from './policies.queries';
import { trying } from './policies.search';

/** What each policy said, the input, and what the policies say today. */
export function DecisionParts({ row: decision }: { readonly row: Decision }) {
  return (
    <>
      <Section title="Policies">
        {decision.policies.length === 0 ? (
          <p>No policy applied, so it was allowed.</p>
        ) : (
          <Table columns={['Policy', 'Version', 'Verdict', 'Violations', 'Applies by', 'Try']}>
            {decision.policies.map(({ policy_id, policy_name, version, allowed, violations, source, failure }) => (
              <Row
                key={policy_id}
                head={
                  <Link to="/policies/$id" params={{ id: policy_id }} className="text-accent underline">
                    {policy_name}
                  </Link>
                }
                cells={[
                  version,
                  failure === null ? (allowed ? 'allows' : 'denies') : `failed: ${failure}`,
                  violations.join('; '),
                  source.entity_type,
                  decision.input === null ? (
                    'The input is not stored'
                  ) : (
                    <Link
                      key="try"
                      to="/policies/$id"
                      params={{ id: policy_id }}
                      search={trying({}, decision.id)}
                      className="text-accent underline"
                    >
                      Open in the editor with this input
                    </Link>
                  ),
                ]}
              />
            ))}
          </Table>
        )}
      </Section>
      <Replay decision={decision} />
    </>
  );
}

function Replay({ decision }: { readonly decision: Decision }) {
  const replay = useReplay(decision.id);
  const session = useSession();
  const { input } = decision;
  return (
    <Section
      title="Input"
      actions={
        <Button
          isBusy={replay.isPending}
          disabledReason={
            missingScope(session, 'agents:read') ?? (input === null ? 'The input is not stored' : undefined)
          }
          onClick={() => replay.mutate()}
        >
          Decide again
        </Button>
      }
    >
      {replay.error !== null && <FailurePanel error={replay.error} />}
      {replay.data !== undefined && (
        <output>
          {replay.data.same ? 'The same again: ' : 'It differs now: '}
          {replay.data.replayed.allowed ? 'allowed' : 'denied'}
          {replay.data.replayed.violations.length > 0 && ` (${replay.data.replayed.violations.join('; ')})`}
        </output>
      )}
      {input ? (
        <CodeBlock label="Input of the decision" text={stringifyWithBigInts(input, 2)} />
      ) : (
        <p className="text-quiet">It was too large to store, or takes the scope tasks:read.</p>
      )}
    </Section>
  );
}
