import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { environmentsCreate, environmentsUpdate } from '../../api/generated/forms';
import { skillChoices } from '../../resource/choices';
import { contextCommands, policyCommands } from '../../resource/entity-commands';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { EnvironmentQueues } from './environment-queues';

type Schemas = ControlPlaneComponents['schemas'];

const pathOf = (id: string) => ({ path: { environment_id: id } });

export const { ListPage, OnePage } = pagesOf<Schemas['EnvironmentResponse']>({
  path: '/environments',
  one: 'environment',
  many: 'environments',
  purpose: 'An environment has worker queues, and gives their runs variables, secrets and MCP servers.',
  readScope: 'runners:read',
  columns: [
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Connected workers', cell: ({ active_workers }) => active_workers },
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/environments', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/environments/{environment_id}', { params: pathOf(id), signal })),
  create: creation(environmentsCreate, ({ controlPlane }, body) =>
    unwrap(controlPlane.POST('/api/v1/environments', { body })),
  ),
  update: change(environmentsUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/environments/{environment_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'runners:manage',
    effect: 'While it has worker queues or something names it, the server refuses.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/environments/{environment_id}', { params: pathOf(id) })),
  },
  view: { folded: ['display_name', 'tags', 'settings'], choices: { skill_ids: skillChoices } },
  Parts: ({ row }) => <EnvironmentQueues environmentId={row.id} />,
  commandsOf: ({ id }) => [...contextCommands('environment', id), ...policyCommands('environment', id)],
});
