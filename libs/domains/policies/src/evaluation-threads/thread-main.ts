// The entry of a thread that compiles and evaluates policies. It processes one job after the other.
import { parentPort, workerData } from 'node:worker_threads';
import { Evaluator } from '../evaluation/evaluator.js';
import { ThreadProgress } from './thread-progress.js';
import type { EvaluatorJob } from '../evaluation/evaluator.types.js';
import type { ThreadMessage } from './thread.types.js';

const evaluator = new Evaluator(new ThreadProgress(workerData as SharedArrayBuffer));
const send = (message: ThreadMessage): void => parentPort?.postMessage(message);

parentPort?.on('message', (job: EvaluatorJob) => {
  try {
    send({ kind: 'result', result: evaluator.run(job) });
  } catch (error) {
    send({ kind: 'error', error });
  }
});
send({ kind: 'ready' });
