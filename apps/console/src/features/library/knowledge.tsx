import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { knowledgeCreate, knowledgeUpdate } from '../../api/generated/forms';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';

type Schemas = ControlPlaneComponents['schemas'];
/** Lists leave the content out. */
type Entry = Schemas['KnowledgeSummaryResponse'] & Partial<Schemas['KnowledgeResponse']>;

const pathOf = (id: string) => ({ path: { knowledge_id: id } });

export const { ListPage, OnePage } = pagesOf<Entry>({
  path: '/knowledge',
  one: 'entry',
  many: 'knowledge entries',
  purpose: 'Knowledge is text that agents find by search while they run, for example a refund policy.',
  readScope: 'knowledge:read',
  columns: [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Tags', cell: ({ tags }) => tags.join(', ') },
    { label: 'Bytes', cell: ({ size }) => size.toLocaleString('en') },
    { label: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/knowledge', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/knowledge/{knowledge_id}', { params: pathOf(id), signal })),
  create: creation(knowledgeCreate, ({ controlPlane }, body) =>
    unwrap(controlPlane.POST('/api/v1/knowledge', { body })),
  ),
  update: change(knowledgeUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/knowledge/{knowledge_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'knowledge:write',
    effect: 'While a context or a team names it, the server refuses. Agents no longer find it.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/knowledge/{knowledge_id}', { params: pathOf(id) })),
  },
  view: { folded: ['metadata'] },
});
