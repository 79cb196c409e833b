import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { secretsCreate, secretsReplace } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';

type Schemas = ControlPlaneComponents['schemas'];

const pathOf = (name: string) => ({ path: { secret_name: name } });

export const { ListPage, OnePage } = pagesOf<Schemas['SecretResponse']>({
  path: '/secrets',
  one: 'secret',
  many: 'secrets',
  purpose: 'A secret is a value that runs get where a variable says secret:NAME. Nobody can read it here again.',
  readScope: 'integrations:write',
  columns: [
    { label: 'Set', cell: ({ updated_at }) => <Time at={updated_at} none="" /> },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ name }) => name,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/secrets', { params: { query }, signal }),
  read: ({ controlPlane }, name, signal) =>
    unwrap(controlPlane.GET('/api/v1/secrets/{secret_name}', { params: pathOf(name), signal })),
  create: creation({ ...secretsCreate, fields: [...secretsCreate.fields].reverse() }, ({ controlPlane }, body) =>
    unwrap(controlPlane.POST('/api/v1/secrets', { body })),
  ),
  update: change(secretsReplace, ({ controlPlane }, name, body) =>
    unwrap(controlPlane.PUT('/api/v1/secrets/{secret_name}', { params: pathOf(name), body })),
  ),
  removal: {
    scope: 'integrations:write',
    effect: 'While something refers to it, the server refuses.',
    send: ({ controlPlane }, name) =>
      unwrap(controlPlane.DELETE('/api/v1/secrets/{secret_name}', { params: pathOf(name) })),
  },
});
