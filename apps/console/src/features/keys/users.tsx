import { unwrap, type PlatformApiComponents } from '@app/api-client';
import { usersCreate, usersUpdate } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { UserParts } from './user-parts';

type Schemas = PlatformApiComponents['schemas'];

const pathOf = (id: string) => ({ path: { id } });

export const { ListPage, OnePage } = pagesOf<Schemas['UserResponse']>({
  path: '/users',
  one: 'user',
  many: 'users',
  purpose: 'A user is a person or a service that runs act for. API keys belong to users.',
  readScope: 'admin',
  columns: [
    { label: 'E-mail address', cell: ({ email }) => email ?? 'none: a service' },
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Groups', cell: ({ groups }) => groups.join(', ') },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  list: ({ platform }, query, signal) => platform.GET('/api/v1/users', { params: { query }, signal }),
  read: ({ platform }, id, signal) => unwrap(platform.GET('/api/v1/users/{id}', { params: pathOf(id), signal })),
  create: creation(usersCreate, ({ platform }, body) => unwrap(platform.POST('/api/v1/users', { body }))),
  update: change(usersUpdate, ({ platform }, id, body) =>
    unwrap(platform.PATCH('/api/v1/users/{id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'admin',
    effect: 'While the user has keys or a history, the server refuses: suspend the user instead.',
    send: ({ platform }, id) => unwrap(platform.DELETE('/api/v1/users/{id}', { params: pathOf(id) })),
  },
  Parts: UserParts,
  view: { folded: ['avatar_url'] },
});
