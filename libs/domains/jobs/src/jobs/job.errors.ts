import { conflict, DomainError, invalid, notFound } from '@app/kernel';
import { MAX_PROMPT_LENGTH } from '../triggers/job-template.js';

export const jobNotFound = (): DomainError => notFound('job_not_found', 'Job');

export const jobWebhookNotFound = (): DomainError => notFound('webhook_not_found', 'Webhook');

export const jobDisabled = (): DomainError => conflict('job_disabled', 'The job is disabled; enable it to trigger it');

export const jobHasNoWebhook = (): DomainError =>
  conflict('job_has_no_webhook', 'The job has no webhook, because its trigger_type is not webhook');

/** The same error for every kind of invalid signature, so that it discloses nothing. */
export const jobWebhookSignatureInvalid = (): DomainError =>
  new DomainError('webhook_signature_invalid', 'The signature is missing or not valid');

export const promptTooLong = (): DomainError =>
  invalid([
    {
      path: ['parameters'],
      msg: `The job's prompt_template rendered with these parameters should have at most ${MAX_PROMPT_LENGTH} characters`,
      type: 'string_too_long',
    },
  ]);
