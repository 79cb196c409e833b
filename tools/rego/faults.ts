import { RegoCompileError, type Fault, type ModuleSource } from '@app/rego';

/** Longer source lines are not shown. */
const MAX_SHOWN_LINE_LENGTH = 160;

/** Renders each fault with its source line. */
function describeFaults(error: RegoCompileError, sources: readonly ModuleSource[]): string {
  const texts = new Map(sources.map(({ name, text }) => [name, text]));
  return error.faults.map((fault) => `${headOf(fault)}${lineOf(fault, texts.get(fault.file))}`).join('\n');
}

/** Renders the faults as `opa --format json` does. */
function faultsAsJson({ faults }: RegoCompileError): string {
  const errors = faults.map(({ code, message, file, row, col }) => ({ message, code, location: { file, row, col } }));
  return JSON.stringify({ errors }, undefined, 2);
}

function headOf({ file, row, col, code, message }: Fault): string {
  return `${file === '' ? '' : `${file}:`}${row}:${col}: ${code}: ${message}`;
}

function lineOf({ row, col }: Fault, text: string | undefined): string {
  const line = text?.split('\n')[row - 1]?.replace(/\r$/, '');
  if (line === undefined || line.trim() === '' || line.length > MAX_SHOWN_LINE_LENGTH) return '';
  const before = line.slice(0, col - 1).replaceAll(/[^\t]/g, ' ');
  return `\n    ${line}\n    ${before}^`;
}

/** Prints the faults as JSON to standard output, or as text to standard error. */
export function printFaults(
  error: RegoCompileError,
  sources: readonly ModuleSource[],
  format: string | undefined,
): void {
  if (format === 'json') process.stdout.write(`${faultsAsJson(error)}\n`);
  else process.stderr.write(`${describeFaults(error, sources)}\n`);
}
