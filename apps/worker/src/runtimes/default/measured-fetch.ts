import type { Clock } from '@app/kernel';
import type { RuntimeTask } from '../runtime.js';

/** Publishes the size of each request to the model and its time up to the end of the response, as a `metadata` event. */
export function measuredFetch(inner: typeof fetch, clock: Clock, publish: RuntimeTask['publish']): typeof fetch {
  return async (input, init) => {
    const startedAt = clock.millis();
    const bytes = typeof init?.body === 'string' ? Buffer.byteLength(init.body) : null;
    const response = await inner(input, init);
    const { status, statusText, headers, body } = response;
    const report = (): void =>
      publish('metadata', { model_request: { bytes, status, duration_ms: clock.millis() - startedAt } });
    if (body === null) {
      report();
      return response;
    }
    const measured = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: report }));
    return new Response(measured, { status, statusText, headers });
  };
}
