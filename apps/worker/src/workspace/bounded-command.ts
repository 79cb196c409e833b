import { headOf } from '@app/kernel';
import { ProcessGroup, type ProcessCommand, type ProcessEnd } from './process-group.js';

/** Bytes of output after which a command is stopped. */
const MAX_OUTPUT_BYTES = 1_048_576;
/** Number of characters of the output in the error of a stopped command. */
const SHOWN_LENGTH = 2_000;

/**
 * Runs a command to its end and returns its standard output and standard error together, in the order of arrival.
 * Throws an error with the reason if the command cannot be started, fails, prints too much, or is stopped.
 */
export async function runCommand(command: ProcessCommand, signal: AbortSignal): Promise<string> {
  const output = new BoundedOutput();
  const flooded = new AbortController();
  const take = (chunk: Buffer): void => {
    if (!output.add(chunk)) flooded.abort();
  };
  const stopping = AbortSignal.any([signal, flooded.signal]);
  const group = startGroup(command, take, stopping);
  const end = await group.ended.catch((error: unknown) => Promise.reject(startFailure(command.command, error)));
  if (flooded.signal.aborted) {
    const shown = headOf(output.text(), SHOWN_LENGTH);
    throw new Error(`The command printed more than ${MAX_OUTPUT_BYTES / 1_048_576} MiB and was stopped:\n${shown}`);
  }
  if (signal.aborted) throw new Error('The command was stopped');
  if (end.exitCode === 0) return output.text();
  throw new Error(`The command ended with ${describeEnd(end)}:\n${output.text()}`);
}

function startGroup(command: ProcessCommand, take: (chunk: Buffer) => void, signal: AbortSignal): ProcessGroup {
  try {
    return new ProcessGroup(command, { onStdout: take, onStderr: take }, signal);
  } catch (error) {
    throw startFailure(command.command, error);
  }
}

export function startFailure(command: string, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new Error(`The command ${command} cannot be started (${code})`);
}

export function describeEnd({ exitCode, signal }: ProcessEnd): string {
  return exitCode === null ? `the signal ${signal}` : `the exit code ${exitCode}`;
}

class BoundedOutput {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  /** Returns false and discards the chunk if the output is too large. */
  add(chunk: Buffer): boolean {
    this.size += chunk.length;
    if (this.size > MAX_OUTPUT_BYTES) return false;
    this.chunks.push(chunk);
    return true;
  }

  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
