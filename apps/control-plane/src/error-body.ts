import type { DescribedError } from '@app/http';
import { currentContext } from '@app/observability';

/** The error body of the control plane: `detail` is the message, or the list of faults of an invalid request (422). */
export function controlPlaneErrorBody(error: DescribedError): object {
  if (error.status === 422) return { detail: error.faults };
  if (error.unexpected) return { detail: error.message, request_id: currentContext()?.requestId ?? null };
  return { detail: error.message };
}

export const errorSchemas = {
  plain: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: { type: 'string', description: 'Error message' },
      request_id: { type: 'string', description: 'Request id, for error reports; only with status 500' },
    },
  },
  validation: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        description: 'Every fault of the request',
        items: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: {
              type: 'array',
              items: { type: 'string' },
              description: 'Location: `body`, `query`, `path` or `header`, then field names and list indices',
            },
            msg: { type: 'string', description: 'Error message' },
            type: { type: 'string', description: 'Machine-readable kind of the fault, for example `missing`' },
          },
        },
      },
    },
  },
};
