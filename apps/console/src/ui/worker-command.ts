import { shellWord } from './shell-word';

/** Returns the command that starts a worker of a queue, as a shell takes it. */
export function workerCommand(queueName: string): string {
  return `WORKER_API_KEY=ak_… WORKER_QUEUE=${shellWord(queueName)} npm run worker`;
}
