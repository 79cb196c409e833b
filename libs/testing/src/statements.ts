import { Client } from 'pg';

/** The name of each prepared statement and the text of any other that reached PostgreSQL during `work`, in order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const prototype = Client.prototype as { query: (this: unknown, ...args: unknown[]) => unknown };
  const original = prototype.query;
  prototype.query = function query(...args) {
    statements.push(nameOf(args[0]));
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return statements;
}

function nameOf(query: unknown): string {
  if (typeof query === 'string') return query;
  const { name, text } = query as { name?: string; text: string };
  return name ?? text;
}
