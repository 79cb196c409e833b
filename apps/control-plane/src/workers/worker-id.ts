import { invalid, isUuid } from '@app/kernel';

/** The one path parameter that is typed: a worker's id is a UUID, and anything else is a fault of the request. */
export function parseWorkerId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw invalid([{ loc: ['path', 'worker_id'], msg: 'Input should be a valid UUID', type: 'uuid_parsing' }]);
}
