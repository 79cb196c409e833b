import type { ServerResponse } from 'node:http';
import { addNotice } from '../wire/notices.js';
import { isDict, keptFieldsOf } from './field.js';

/** Adds to `X-Notice` which fields of an update were sent empty and keep their stored values. */
export function reportUnchangedFields(shape: new () => object, body: unknown, response: ServerResponse): void {
  if (!isDict.passes(body)) return;
  const sent = body as Readonly<Record<string, unknown>>;
  const kept = Object.entries(keptFieldsOf(shape.prototype as object))
    .filter(([name, isKept]) => (sent[name] === null || sent[name] === '') && isKept(sent[name]))
    .map(([name]) => name);
  if (kept.length > 0) addNotice(response, `Not changed, because the sent value is empty: ${kept.join(', ')}`);
}
