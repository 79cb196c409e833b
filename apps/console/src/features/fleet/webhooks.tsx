import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { webhooksCreate, webhooksUpdate } from '../../api/generated/forms';
import { agentChoices, jobChoices } from '../../resource/choices';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { WebhookParts } from './webhook-parts';

type Schemas = ControlPlaneComponents['schemas'];
/** Only the answer to a creation contains the secret. */
type Webhook = Schemas['WebhookResponse'] & Partial<Pick<Schemas['WebhookWithSecretResponse'], 'secret'>>;

const pathOf = (id: string) => ({ path: { webhook_id: id } });

export const { ListPage, OnePage } = pagesOf<Webhook>({
  path: '/webhooks',
  one: 'webhook',
  many: 'webhooks',
  purpose: 'A webhook sends the events of executions to an address of yours, signed.',
  readScope: 'webhooks:manage',
  columns: [
    { label: 'Events', cell: ({ events }) => events.join(', ') || 'all' },
    { label: 'Status', cell: ({ status, disabled_reason }) => disabled_reason ?? status },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ url }) => url,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/webhooks', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/webhooks/{webhook_id}', { params: pathOf(id), signal })),
  create: creation(webhooksCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/webhooks', { body }))),
  update: change(webhooksUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/webhooks/{webhook_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'webhooks:manage',
    effect: 'Nothing is delivered to it any more, and its deliveries are deleted.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/webhooks/{webhook_id}', { params: pathOf(id) })),
  },
  Parts: ({ row }) => <WebhookParts webhookId={row.id} />,
  commandsOf: ({ id }) => [
    { does: 'The request of one delivery, and the answer', command: 'agentctl webhooks delivery DELIVERY_ID' },
    { does: 'The ids of the deliveries', command: `agentctl webhooks deliveries ${id}` },
    { does: 'Deliver all events since a time again', command: `agentctl webhooks replay ${id} FROM` },
  ],
  view: { choices: { job_ids: jobChoices, agent_ids: agentChoices } },
  secretOf: ({ secret, url }) =>
    typeof secret === 'string' ? { title: `The webhook ${url}`, label: 'Signing secret', value: secret } : null,
});
