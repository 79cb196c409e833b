import { TextHeader } from '@app/http';

/**
 * Injects the lease token that a worker sent (`X-Lease-Token`), or `null`. With `null`, most writes skip the check that
 * the sender holds the lease; routes that require a token reject the request.
 */
export const LeaseToken = (): ParameterDecorator =>
  TextHeader('X-Lease-Token', {
    field: 'lease_token',
    description:
      'Lease token of the worker that runs the execution. A token other than the current one is rejected with status 409',
  });
