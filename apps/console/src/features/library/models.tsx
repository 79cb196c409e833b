import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { modelsCreate, modelsUpdate } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';

type Schemas = ControlPlaneComponents['schemas'];

const pathOf = (id: string) => ({ path: { model: id } });

export const { ListPage, OnePage } = pagesOf<Schemas['ModelResponse']>({
  path: '/models',
  one: 'model',
  many: 'models',
  purpose: 'A model is a name at the model gateway that agents can use.',
  readScope: 'any',
  columns: [
    {
      label: 'Value',
      cell: ({ value }) => <span className="inline-block min-w-40 font-mono text-sm break-all">{value}</span>,
    },
    { label: 'Provider', cell: ({ provider }) => provider },
    { label: 'Enabled', cell: ({ enabled }) => (enabled ? 'yes' : 'no') },
    { label: 'Recommended', cell: ({ recommended }) => (recommended ? 'yes' : 'no') },
    { label: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} none="" /> },
  ],
  nameOf: ({ label }) => label,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/models', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/models/{model}', { params: pathOf(id), signal })),
  create: creation(modelsCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/models', { body }))),
  update: change(modelsUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/models/{model}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'any',
    effect: 'While an agent, a team, a project or a workflow names it, the server refuses.',
    send: ({ controlPlane }, id) => unwrap(controlPlane.DELETE('/api/v1/models/{model}', { params: pathOf(id) })),
  },
  listCommands: [{ does: 'The model of agents without one', command: 'agentctl models default' }],
  view: { folded: ['logo', 'compatible_runtimes', 'capabilities', 'pricing', 'display_order'] },
});
