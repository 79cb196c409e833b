import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { queueLoadQuery, type QueueLoad } from './overview.queries';
import { aliveWorkersOf, byWait, isAbandoned } from './queue-figures';

const COLUMNS = ['Queue', 'Environment', 'Waiting', 'First waits since', 'Running', 'Workers alive'];
const NUMBERS = ['Waiting', 'Running', 'Workers alive'];

/** What waits, and whether somebody takes it. */
export function QueuesSection() {
  const session = useSession();
  const { data, error, isPending, refetch } = useQuery(queueLoadQuery(session));
  return (
    <section aria-labelledby="queues" className="flex flex-col gap-3">
      <h2 id="queues" className="font-semibold">
        Queues
      </h2>
      {data?.filter(isAbandoned).map((queue) => (
        <Abandoned key={queue.queue_id} queue={queue} />
      ))}
      {!session.can('runners:read') ? (
        <p>This takes the scope runners:read.</p>
      ) : isPending ? (
        <Skeleton rows={3} label="Loading the queues" />
      ) : data === undefined ? (
        <FailurePanel error={error} onRetry={() => void refetch()} />
      ) : (
        <Table columns={COLUMNS} numbers={NUMBERS}>
          {byWait(data).map((queue) => (
            <Row key={queue.queue_id} queue={queue} />
          ))}
        </Table>
      )}
    </section>
  );
}

function Abandoned({ queue }: { readonly queue: QueueLoad }) {
  return (
    <div role="alert" className="rounded-md border border-danger bg-surface p-3">
      <p className="font-semibold text-danger">
        {queue.waiting} waiting in {queue.queue_name}, and no worker takes them
      </p>
      <p>
        Start one:{' '}
        <code className="font-mono break-all">WORKER_API_KEY=ak_… WORKER_QUEUE={queue.queue_name} npm run worker</code>
      </p>
    </div>
  );
}

function Row({ queue }: { readonly queue: QueueLoad }) {
  return (
    <tr className="border-b border-hairline last:border-0">
      <th scope="row" className="px-3 py-2 font-semibold">
        {queue.queue_name}
        {queue.status !== 'active' && <span className="ml-2 font-normal text-warning">{queue.status}</span>}
      </th>
      <td className="px-3 py-2">{queue.environment_name}</td>
      <td className="px-3 py-2 text-right">{queue.waiting}</td>
      <td className="px-3 py-2">
        <Time at={queue.oldest_waiting_at} none="" />
      </td>
      <td className="px-3 py-2 text-right">{queue.running}</td>
      <td className="px-3 py-2 text-right">
        {aliveWorkersOf(queue)}
        {queue.workers.stale > 0 && <span className="text-warning"> + {queue.workers.stale} lost</span>}
      </td>
    </tr>
  );
}
