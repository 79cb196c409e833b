import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import type { Form } from '../../api/form';
import { environmentWorkerQueuesCreate, workerQueuesUpdate } from '../../api/generated/forms';
import { environmentChoices } from '../../resource/choices';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { QueueParts } from './queue-parts';

type Schemas = ControlPlaneComponents['schemas'];
type NewQueue = Schemas['CreateWorkerQueueRequest'] & { readonly environment_id: string };

const pathOf = (id: string) => ({ path: { queue_id: id } });

/** Queues are made under the address of their environment. */
const NEW_QUEUE: Form<NewQueue> = {
  scope: environmentWorkerQueuesCreate.scope,
  fields: [
    { name: 'environment_id', kind: 'line', help: 'Executions of it wait in the queue', isRequired: true },
    ...environmentWorkerQueuesCreate.fields,
  ],
};

export const { ListPage, OnePage } = pagesOf<Schemas['WorkerQueueResponse']>({
  path: '/queues',
  one: 'worker queue',
  many: 'worker queues',
  purpose: 'Executions wait in a worker queue until one of its workers takes them.',
  readScope: 'runners:read',
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/worker-queues', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/worker-queues/{queue_id}', { params: pathOf(id), signal })),
  create: creation(NEW_QUEUE, ({ controlPlane }, { environment_id, ...body }) => {
    const params = { path: { environment_id } };
    return unwrap(controlPlane.POST('/api/v1/environments/{environment_id}/worker-queues', { params, body }));
  }),
  update: change(workerQueuesUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/worker-queues/{queue_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: workerQueuesUpdate.scope,
    effect: 'While it has work or workers, or an enabled job names it, the server refuses.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/worker-queues/{queue_id}', { params: pathOf(id) })),
  },
  columns: [
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Connected workers', cell: ({ active_workers }) => active_workers },
    { label: 'Most workers', cell: ({ max_workers }) => max_workers ?? 'no limit' },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  Parts: QueueParts,
  view: { folded: ['display_name', 'tags', 'settings'], choices: { environment_id: environmentChoices } },
});
