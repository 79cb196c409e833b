import { ControlPlaneError } from '../control-plane/control-plane.errors.js';

export interface FatalLogEntry {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/**
 * Returns the log entry for an error that ends the worker. An error response of the control plane is logged without a stack,
 * because its cause is not in this code.
 */
export function describeFatalError(error: Error): FatalLogEntry {
  if (!(error instanceof ControlPlaneError)) return { fields: { err: error }, message: 'worker failed' };
  const fields = { reason: error.message, request_id: error.requestId };
  if (error.kind !== 'forbidden') return { fields, message: 'worker failed' };
  const required = 'a valid key with the scopes runners:manage and tasks:execute is required';
  return { fields, message: `the control plane refuses WORKER_API_KEY: ${required}` };
}
