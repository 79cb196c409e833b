import { isJsonObject, parseExactJson, type JsonObject } from '@app/kernel';
import { LineReader, OutputFault } from '../../workspace/line-reader.js';

const MIB = 1_048_576;
const MAX_LINE_BYTES = 4 * MIB;
const MAX_TOTAL_BYTES = 64 * MIB;
const MAX_LINES = 50_000;
/** Maximum nesting of objects: later code reads them recursively. */
const MAX_DEPTH = 100;

/** Reads line-delimited JSON objects from chunks of bytes. Empty lines are ignored. */
export class JsonLines {
  private readonly reader = new LineReader(MAX_LINE_BYTES, (line) => this.takeLine(line));
  private totalBytes = 0;
  private lines = 0;

  constructor(private readonly onObject: (object: JsonObject) => void) {}

  /** Throws an OutputFault if a line is not a JSON object, or the output exceeds a limit. */
  add(chunk: Buffer): void {
    this.totalBytes += chunk.length;
    if (this.totalBytes > MAX_TOTAL_BYTES) throw new OutputFault(`printed more than ${MAX_TOTAL_BYTES / MIB} MiB`);
    this.reader.add(chunk);
  }

  /** Reads a last line that does not end with a newline. */
  end(): void {
    this.reader.end();
  }

  private takeLine(line: string): void {
    this.lines += 1;
    if (this.lines > MAX_LINES) throw new OutputFault(`printed more than ${MAX_LINES} lines`);
    if (line !== '') this.onObject(parseLine(line, this.lines));
  }
}

function parseLine(line: string, number: number): JsonObject {
  const value = parse(line);
  if (!isJsonObject(value)) throw new OutputFault(`printed a line that is not a JSON object (line ${number})`);
  if (isDeeperThan(value, MAX_DEPTH)) throw new OutputFault(`printed JSON that is nested too deeply (line ${number})`);
  return value;
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
