// Requests of the benchmark to its child processes, over the IPC channel that `startProcess` opens.
import type { ChildProcess } from 'node:child_process';

interface Question {
  readonly question: string;
  readonly id: number;
}

interface Reply {
  readonly id: number;
  readonly value: unknown;
}

let lastId = 0;

/** Rejects when the child exits before it replies. */
export function ask<T>(child: ChildProcess, question: string): Promise<T> {
  lastId += 1;
  const id = lastId;
  return new Promise<T>((resolve, reject) => {
    const settle = (): void => {
      child.off('message', receive);
      child.off('exit', fail);
    };
    const receive = (reply: unknown): void => {
      if ((reply as Reply).id !== id) return;
      settle();
      resolve((reply as Reply).value as T);
    };
    const fail = (): void => {
      settle();
      reject(new Error(`The process exited before it replied to "${question}"`));
    };
    child.on('message', receive);
    child.on('exit', fail);
    child.send({ question, id } satisfies Question, (error) => {
      if (error !== null) fail();
    });
  });
}

/** Registers the reply of this process to one request. The channel does not keep the process alive. */
export function replyTo(question: string, reply: () => unknown): void {
  process.on('message', (message: Question) => {
    if (message.question === question) process.send?.({ id: message.id, value: reply() } satisfies Reply);
  });
  process.channel?.unref();
}
