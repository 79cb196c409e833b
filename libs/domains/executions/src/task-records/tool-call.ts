import { StringDecoder } from 'node:string_decoder';
import { isJsonObject, type JsonObject } from '@app/kernel';
import type { StoredExecutionRecord, ToolCall } from './task-record.types.js';

/** Maximum size in bytes (UTF-8) of the arguments, of the output and of the error of a tool call. */
const MAX_BYTES = 65_536;

/** The keys of each value in a record: a short one, and the one in tool events. */
const NAMES = {
  arguments: ['arguments', 'tool_arguments'],
  output: ['output', 'tool_output'],
  error: ['error', 'tool_error'],
} as const;

/** Truncates long arguments, output and error of a record, and sets `truncated` in this case. */
export function boundedToolCall(record: JsonObject): JsonObject {
  const cut = Object.values(NAMES).flatMap((names) =>
    names.flatMap((name) => {
      const text = textOf(record[name]);
      return text === null || Buffer.byteLength(text) <= MAX_BYTES ? [] : [[name, beginningOf(text)] as const];
    }),
  );
  return cut.length === 0 ? record : { ...record, ...Object.fromEntries(cut), truncated: true };
}

/** Returns the tool call that a record describes. Records are free-form: a field of another type counts as missing. */
export function toToolCall({ record, record_id, created_at }: StoredExecutionRecord): ToolCall {
  const given = ([first, second]: readonly [string, string]): unknown => record[first] ?? record[second];
  const [startedAt, completedAt] = [timeOf(record['started_at']), timeOf(record['completed_at']) ?? created_at];
  const duration = record['duration_ms'];
  const input = given(NAMES.arguments);
  return {
    tool_execution_id: textIn(record['tool_execution_id']) ?? textIn(record['tool_call_id']) ?? record_id,
    tool_name: textIn(record['tool_name']) ?? textIn(record['name']),
    message_id: textIn(record['message_id']),
    member_name: textIn(record['member_name']),
    attempt: typeof record['attempt'] === 'number' && Number.isInteger(record['attempt']) ? record['attempt'] : null,
    arguments: isJsonObject(input) || input == null ? (input ?? null) : { value: input },
    output: textOf(given(NAMES.output)),
    error: textOf(given(NAMES.error)),
    status: textIn(record['status']),
    started_at: startedAt,
    completed_at: completedAt,
    duration_ms: typeof duration === 'number' ? duration : startedAt && completedAt.getTime() - startedAt.getTime(),
    truncated: record['truncated'] === true,
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function textOf(value: unknown): string | null {
  return value == null ? null : typeof value === 'string' ? value : JSON.stringify(value);
}

function timeOf(value: unknown): Date | null {
  const time = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Returns the first `MAX_BYTES` bytes, without an incomplete character at the end. */
function beginningOf(text: string): string {
  return new StringDecoder('utf8').write(Buffer.from(text).subarray(0, MAX_BYTES));
}
