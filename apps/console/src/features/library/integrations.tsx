import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { integrationsCreate, integrationsUpdate } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';

type Schemas = ControlPlaneComponents['schemas'];

const pathOf = (id: string) => ({ path: { integration_id: id } });

export const { ListPage, OnePage } = pagesOf<Schemas['IntegrationResponse']>({
  path: '/integrations',
  one: 'integration',
  many: 'integrations',
  purpose: 'An integration gives runs the variables and MCP servers of another system, such as a mail server.',
  readScope: 'integrations:read',
  columns: [
    { label: 'Type', cell: ({ type }) => type },
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Tags', cell: ({ tags }) => tags.join(', ') },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/integrations', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/integrations/{integration_id}', { params: pathOf(id), signal })),
  create: creation(integrationsCreate, ({ controlPlane }, body) =>
    unwrap(controlPlane.POST('/api/v1/integrations', { body })),
  ),
  update: change(integrationsUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/integrations/{integration_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'integrations:write',
    effect: 'While something names it, the server refuses.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/integrations/{integration_id}', { params: pathOf(id) })),
  },
  view: { folded: ['tags', 'metadata'] },
});
