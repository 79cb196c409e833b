import type { DescribedError } from '@app/http';
import { currentContext } from '@app/observability';

/** The control plane's errors: `detail` is a text, or the list of faults where the request itself is wrong. */
export function controlPlaneErrorBody(error: DescribedError): object {
  if (error.status === 422) return { detail: error.faults };
  if (error.unexpected) return { detail: error.message, request_id: currentContext()?.requestId ?? null };
  return { detail: error.message };
}

export const errorSchemas = {
  plain: {
    type: 'object',
    required: ['detail'],
    properties: { detail: { type: 'string' }, request_id: { type: 'string', description: 'With a 500 only' } },
  },
  validation: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: { type: 'array', items: { type: 'string' } },
            msg: { type: 'string' },
            type: { type: 'string' },
          },
        },
      },
    },
  },
};
