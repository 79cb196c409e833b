interface LogEntry {
  readonly time: string;
  readonly level: string;
  readonly pid: number;
  readonly part?: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
}

/** Control characters except line breaks and tabs. Logged texts of agents and tools may contain any of them. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns a line of the log, which is JSON, for readers at a terminal: the time in UTC, the level, the message, the fields. */
export function readableLine(json: string): string {
  const { time, level, pid: _pid, part = '', msg = '', err, ...fields } = JSON.parse(json) as LogEntry;
  const values = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const head = [time.slice(11, 23), level.toUpperCase().padEnd(5), `${part}:`, msg, ...values].join(' ');
  const cause = err?.stack ?? err?.message;
  const lines = cause === undefined ? [head] : [head, ...cause.split('\n').map((line) => `  ${line.trim()}`)];
  return `${lines.join('\n').replaceAll(CONTROL_CHARACTERS, '')}\n`;
}
