import { conflict, invalid, notFound, type DomainError } from '@app/kernel';
import { MAX_WEBHOOKS } from './webhook.types.js';

export const webhookNotFound = (): DomainError => notFound('event_subscription_not_found', 'Webhook');

export const tooManyWebhooks = (): DomainError =>
  conflict('event_subscription_limit_reached', `An organization can have at most ${MAX_WEBHOOKS} webhooks`);

export const unusableUrl = (reason: string): DomainError =>
  invalid([{ path: ['url'], msg: `The URL ${reason}`, type: 'value_error' }]);
