import { conflict, invalid, notFound, type DomainError } from '@app/kernel';
import { MAX_WEBHOOKS } from './webhook.types.js';

export const webhookNotFound = (): DomainError => notFound('event_subscription_not_found', 'Webhook');

export const tooManyWebhooks = (): DomainError =>
  conflict('event_subscription_limit_reached', `An organization can have at most ${MAX_WEBHOOKS} webhooks`);

export const unusableUrl = (reason: string): DomainError =>
  invalid([{ path: ['url'], msg: `The URL ${reason}`, type: 'value_error' }]);

export const webhookDisabled = (): DomainError =>
  conflict('event_subscription_disabled', 'The webhook is disabled; activate it first');

export const deliveryNotFound = (): DomainError => notFound('webhook_delivery_not_found', 'Delivery');

export const deliveryPending = (): DomainError =>
  conflict('webhook_delivery_pending', 'The delivery has not ended; it will be attempted again without a replay');
