import { Link } from '@tanstack/react-router';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { useBacktest, type Backtest } from './policies.queries';

interface PolicyBacktestProps {
  readonly policyId: string;
  readonly content: string;
}

/** What a source would have done to recent decisions. */
export function PolicyBacktest({ policyId, content }: PolicyBacktestProps) {
  const session = useSession();
  const backtest = useBacktest(policyId);
  return (
    <Section
      title="Recent decisions with this source"
      actions={
        <Button
          isBusy={backtest.isPending}
          disabledReason={missingScope(session, 'agents:read') ?? missingScope(session, 'tasks:read')}
          onClick={() => backtest.mutate(content)}
        >
          Try recent decisions
        </Button>
      }
    >
      {backtest.error !== null && <FailurePanel error={backtest.error} />}
      {backtest.data !== undefined && <BacktestOutcome outcome={backtest.data} />}
    </Section>
  );
}

/** How many decisions would differ, and which. */
export function BacktestOutcome({ outcome }: { readonly outcome: Backtest }) {
  const { changes } = outcome;
  return (
    <>
      <output>{summaryOf(outcome)}</output>
      {changes.length > 0 && (
        <Table columns={['Decision', 'About', 'Was', 'Would be', 'Violations']}>
          {changes.map(({ decision_id, at, entity_type, entity_id, entity_name, before, after }) => (
            <Row
              key={decision_id}
              head={
                <Link to="/decisions/$id" params={{ id: decision_id }} className="text-accent underline">
                  <Time at={at} none="" />
                </Link>
              }
              cells={[
                `${entity_type} ${entity_name ?? entity_id}`,
                before.allowed ? 'allowed' : 'denied',
                after.allowed ? 'allowed' : 'denied',
                after.violations.join('; '),
              ]}
            />
          ))}
        </Table>
      )}
    </>
  );
}

function summaryOf({ tried, same, newly_denied, newly_allowed, failed, skipped, stopped_by }: Backtest): string {
  const parts = [
    `Of ${tried} ${tried === 1 ? 'decision' : 'decisions'}, ${same} ${same === 1 ? 'stays' : 'stay'} the same`,
    `${newly_denied} newly denied`,
    `${newly_allowed} newly allowed`,
    ...(failed === 0 ? [] : [`${failed} without a result`]),
    ...(skipped === 0 ? [] : [`${skipped} more could not be tried`]),
    ...(stopped_by === null ? [] : ['older ones were not tried, for lack of time']),
  ];
  return `${parts.join(', ')}.`;
}
