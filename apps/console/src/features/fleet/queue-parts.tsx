import { Link } from '@tanstack/react-router';
import { useList } from '../../api/list';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { Time } from '../../ui/time';
import { workerCommand } from '../../ui/worker-command';
import { useQueueStatus, workersOfQueueQuery, type Queue } from './fleet.queries';

const COLUMNS = ['Host', 'Status', 'Last heard', 'Error'];

/** Stops and starts a queue, and shows who works on it. */
export function QueueParts({ row: queue }: { readonly row: Queue }) {
  const session = useSession();
  const change = useQueueStatus(queue.id);
  const isActive = queue.status === 'active';
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <span>{isActive ? 'Workers take executions.' : `It is ${queue.status}: executions stay in the queue.`}</span>
        <Button
          isBusy={change.isPending}
          disabledReason={missingScope(session, 'runners:manage')}
          onClick={() => change.mutate(isActive ? 'paused' : 'active')}
        >
          {isActive ? 'Pause' : 'Activate'}
        </Button>
        <Link
          to="/executions"
          search={{ queue: queue.id, status: 'pending,running' }}
          className="text-accent underline"
        >
          Executions that wait or run
        </Link>
      </div>
      {change.error !== null && <FailurePanel error={change.error} />}
      <QueueWorkers queue={queue} />
    </>
  );
}

function QueueWorkers({ queue }: { readonly queue: Queue }) {
  const list = useList(workersOfQueueQuery(useSession(), queue.id));
  return (
    <Section title="Workers">
      <PagedTable list={list} many="workers" columns={COLUMNS} empty={<StartOne queue={queue} />}>
        {({ id, hostname, status, last_heartbeat_at, error_message, reason }, place) => (
          <Row
            key={id}
            place={place}
            head={
              <Link to="/workers/$id" params={{ id }} className="text-accent underline">
                {hostname ?? id}
              </Link>
            }
            cells={[status, <Time key="heard" at={last_heartbeat_at} none="never" />, error_message ?? reason]}
          />
        )}
      </PagedTable>
    </Section>
  );
}

function StartOne({ queue }: { readonly queue: Queue }) {
  return (
    <>
      No worker has ever worked on it. Start one:{' '}
      <code className="font-mono break-all">{workerCommand(queue.name)}</code>
    </>
  );
}
