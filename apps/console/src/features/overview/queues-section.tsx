import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { FailurePanel } from '../../ui/failure-panel';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { queueLoadQuery, type QueueLoad } from './overview.queries';
import { aliveWorkersOf, byWait } from './queue-figures';

const COLUMNS = ['Queue', 'Environment', 'Waiting', 'First waits since', 'Running', 'Workers alive'];
const NUMBERS = ['Waiting', 'Running', 'Workers alive'];

/** What waits, for how long, and who takes it. */
export function QueuesSection() {
  const session = useSession();
  const { data, error, isPending, refetch } = useQuery(queueLoadQuery(session));
  return (
    <section aria-labelledby="queues" className="flex flex-col gap-3">
      <h2 id="queues" className="font-semibold">
        Queues
      </h2>
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
