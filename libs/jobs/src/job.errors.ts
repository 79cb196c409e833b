import { conflict, DomainError, invalid, notFound } from '@app/kernel';
import { MAX_PROMPT_LENGTH } from './job-template.js';

export const jobNotFound = (): DomainError => notFound('Job');

export const webhookNotFound = (): DomainError => notFound('Webhook');

export const jobDisabled = (): DomainError => conflict('job_disabled', 'The job is disabled; enable it to trigger it');

export const jobHasNoWebhook = (): DomainError =>
  conflict('job_has_no_webhook', 'The job is not triggered by a webhook, so there is no secret to rotate');

/** One answer for every way in which a signature can be wrong: a stranger learns nothing from it. */
export const webhookRefused = (): DomainError =>
  new DomainError('unauthenticated', 'webhook_signature_invalid', 'The signature is missing or not valid');

export const promptTooLong = (): DomainError =>
  invalid([
    {
      loc: ['body', 'parameters'],
      msg: `The job's prompt_template with these parameters in it should have at most ${MAX_PROMPT_LENGTH} characters`,
      type: 'string_too_long',
    },
  ]);
