import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../session/session-context';
import { workerCommand } from '../../ui/worker-command';
import { queueLoadQuery, type QueueLoad } from './overview.queries';
import { isAbandoned } from './queue-figures';

/** Work that waits and that no worker takes, with what to do. */
export function AbandonedQueues() {
  const { data } = useQuery(queueLoadQuery(useSession()));
  return data?.filter(isAbandoned).map((queue) => <Abandoned key={queue.queue_id} queue={queue} />);
}

function Abandoned({ queue }: { readonly queue: QueueLoad }) {
  return (
    <div role="alert" className="rounded-md border border-danger bg-surface p-3">
      <p className="font-semibold text-danger">
        {queue.waiting} waiting in {queue.queue_name}, and no worker takes them
      </p>
      <p>
        Start one: <code className="font-mono break-all">{workerCommand(queue.queue_name)}</code>
      </p>
    </div>
  );
}
