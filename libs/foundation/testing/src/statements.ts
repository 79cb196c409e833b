import { Client } from 'pg';

interface ObservedClient {
  query: (this: unknown, ...args: unknown[]) => unknown;
}

/** Returns the statements that reached PostgreSQL during `work`, in order: prepared ones by name, others by text. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  await observe(work, (send, args) => {
    statements.push(nameOf(args[0]));
    return send(args);
  });
  return statements;
}

/**
 * Returns how often `work` waited for PostgreSQL. A statement that is sent while the response to another one is pending
 * does not count.
 */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<number> {
  let pending = 0;
  let roundTrips = 0;
  const end = (): void => {
    pending -= 1;
  };
  await observe(work, (send, args) => {
    if (pending === 0) roundTrips += 1;
    pending += 1;
    const callback = args.at(-1);
    if (typeof callback !== 'function') {
      const result = send(args) as Promise<unknown>;
      result.then(end, end);
      return result;
    }
    const ended = (...results: unknown[]): unknown => {
      end();
      return (callback as (...all: unknown[]) => unknown)(...results);
    };
    return send([...args.slice(0, -1), ended]);
  });
  return roundTrips;
}

async function observe(
  work: () => Promise<unknown>,
  query: (send: (args: readonly unknown[]) => unknown, args: readonly unknown[]) => unknown,
): Promise<void> {
  const prototype = Client.prototype as ObservedClient;
  const original = prototype.query;
  prototype.query = function observed(...args) {
    return query((sent) => original.apply(this, [...sent]), args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
}

function nameOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const { name, text } = query as { name?: string; text: string };
  return name ?? text;
}
