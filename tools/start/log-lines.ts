const HIDDEN_FIELDS = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'name', 'part', 'err']);
const MAX_VALUE_LENGTH = 200;

/**
 * Formats a log line of a child process for the terminal: `12:01:02.345 info  control-plane  relay  work queued
 * execution_id=…`. A line that is not JSON is printed unchanged.
 */
export function readableLine(child: string, line: string): string {
  const entry = parse(line);
  if (entry === undefined) return `${' '.repeat(19)}${child.padEnd(13)}  ${line}`;
  const values = Object.entries(entry)
    .filter(([name, value]) => !HIDDEN_FIELDS.has(name) && value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${shorten(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const part = entry['part'] === child ? undefined : entry['part'];
  const parts = [part, entry['msg'], reason(entry['err']), ...values];
  const text = parts.filter((part) => typeof part === 'string' && part !== '').join('  ');
  return `${timeOfDay(entry['time'])} ${levelOf(entry['level']).padEnd(5)} ${child.padEnd(13)}  ${text}`;
}

/** Masks API keys. The terminal shows the admin key once; log files must not contain it. */
export function withoutKeys(line: string): string {
  return line.replace(/\bak_[0-9A-Za-z]{36}\b/g, 'ak_***');
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function timeOfDay(time: unknown): string {
  const date = typeof time === 'string' || typeof time === 'number' ? new Date(time) : new Date(Number.NaN);
  return Number.isNaN(date.getTime()) ? ' '.repeat(12) : date.toISOString().slice(11, 23);
}

function levelOf(level: unknown): string {
  return typeof level === 'string' ? level : '';
}

function reason(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const message = (error as { message?: unknown }).message;
  return typeof message === 'string' ? `error=${shorten(message)}` : undefined;
}

function shorten(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
