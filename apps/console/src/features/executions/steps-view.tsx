import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { CodeBlock } from '../../ui/code-block';
import { FailurePanel } from '../../ui/failure-panel';
import { Row } from '../../ui/row';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { durationText } from '../../ui/duration';
import { stepsQuery, type Recorded } from './record.queries';

const COLUMNS = ['Step', 'Type', 'Status', 'Attempts', 'Took', 'Output or error'];

/** The steps of a workflow, as they are now. */
export function StepsView({ execution }: { readonly execution: Recorded }) {
  const { data, error, isPending, refetch } = useQuery(stepsQuery(useSession(), execution));
  if (isPending) return <Skeleton rows={4} label="Loading the steps" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return <p>It has no steps.</p>;
  return (
    <Table columns={COLUMNS}>
      {data.map(({ name, type, status, attempt, duration_ms, output, error_message }) => (
        <Row
          key={name}
          head={name}
          cells={[
            type,
            status,
            attempt,
            duration_ms === null ? '' : durationText(duration_ms),
            error_message ?? (output !== null && <CodeBlock key="output" label={`Output of ${name}`} text={output} />),
          ]}
        />
      ))}
    </Table>
  );
}
