import { useQuery } from '@tanstack/react-query';
import { stepsBefore } from '../../api/templates';
import { useSession } from '../../session/session-context';
import { CodeBlock } from '../../ui/code-block';
import { FailurePanel } from '../../ui/failure-panel';
import { Row } from '../../ui/row';
import { Skeleton } from '../../ui/skeleton';
import { StepGraph } from '../../ui/step-graph';
import { Table } from '../../ui/table';
import { durationText } from '../../ui/duration';
import { stepsQuery, workflowStepsQuery, type RecordedWorkflow, type Step } from './record.queries';

const COLUMNS = ['Step', 'Type', 'Status', 'Attempts', 'Took', 'Output or error'];

/** The steps of a workflow, as they are now. */
export function StepsView({ execution }: { readonly execution: RecordedWorkflow }) {
  const { data, error, isPending, refetch } = useQuery(stepsQuery(useSession(), execution));
  if (isPending) return <Skeleton rows={4} label="Loading the steps" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return <p>It has no steps.</p>;
  return (
    <>
      <Graph execution={execution} steps={data} />
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
              error_message ??
                (output !== null && <CodeBlock key="output" label={`Output of ${name}`} text={output} />),
            ]}
          />
        ))}
      </Table>
    </>
  );
}

interface GraphProps {
  readonly execution: RecordedWorkflow;
  readonly steps: readonly Step[];
}

/** The arrows are those of the workflow as it is now; a workflow that has other steps by now is not drawn. */
function Graph({ execution, steps }: GraphProps) {
  const { data } = useQuery(workflowStepsQuery(useSession(), execution));
  const before = new Map(data?.map((step) => [step.name, stepsBefore(step)]));
  if (before.size !== steps.length || steps.some(({ name }) => !before.has(name))) return null;
  return (
    <StepGraph
      steps={steps.map(({ name, type, status }) => ({ name, detail: type, status, before: before.get(name) ?? [] }))}
    />
  );
}
