import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { Link } from '@tanstack/react-router';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { WorkerLeases } from './worker-leases';

type Schemas = ControlPlaneComponents['schemas'];

export const { ListPage, OnePage } = pagesOf<Schemas['WorkerResponse']>({
  path: '/workers',
  one: 'worker',
  many: 'workers',
  purpose: 'A worker is a process that takes executions from a queue. Start one with: npm run worker',
  readScope: 'runners:read',
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/workers', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/workers/{worker_id}', { params: { path: { worker_id: id } }, signal })),
  columns: [
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Queue', cell: ({ queue_name }) => queue_name },
    { label: 'Last heard', cell: ({ last_heartbeat_at }) => <Time at={last_heartbeat_at} none="never" /> },
    { label: 'Ended because', cell: ({ error_message, reason }) => error_message ?? reason },
  ],
  nameOf: ({ hostname, id }) => hostname ?? id,
  idOf: ({ id }) => id,
  factsOf: (worker) => [
    { label: 'Status', value: worker.status },
    {
      label: 'Queue',
      value: (
        <Link to="/queues/$id" params={{ id: worker.worker_queue_id }} className="text-accent underline">
          {worker.queue_name}
        </Link>
      ),
    },
    { label: 'Environment', value: worker.environment_name },
    { label: 'Last heard', value: <Time at={worker.last_heartbeat_at} none="never" /> },
    { label: 'Disconnected', value: <Time at={worker.disconnected_at} none="no" /> },
    { label: 'Ended because', value: worker.error_message ?? worker.reason ?? 'it has not ended' },
    { label: 'Exit code', value: worker.exit_code ?? 'none' },
    { label: 'Runtimes', value: worker.runtimes?.join(', ') ?? 'unknown' },
    { label: 'Skills', value: worker.skills?.join(', ') ?? 'unknown' },
  ],
  Parts: ({ row }) => <WorkerLeases workerId={row.id} />,
  listCommands: [
    { does: 'The registered runners', command: 'agentctl runners list' },
    { does: 'One of them', command: 'agentctl runners get RUNNER' },
    { does: 'Register a runner', command: 'agentctl runners create --file runner.yaml' },
    { does: 'Change a runner', command: 'agentctl runners edit RUNNER' },
    { does: 'Delete a runner', command: 'agentctl runners delete RUNNER' },
  ],
});
