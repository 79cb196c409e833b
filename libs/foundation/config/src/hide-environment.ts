import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Variables that the C library and Node.js read from the environment block at any time. They contain no secrets. */
const RUNTIME =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|TZ|LANG|LC_.*|LD_.*|GLIBC_.*|MALLOC_.*|UV_.*|NODE_.*|SSL_.*)$/;
const ENV_START = 48;

/**
 * Erases the values of this process's variables where the system shows them to other processes of the same user
 * (`/proc/<pid>/environ`), except those of `visible`. `process.env` keeps them. Call it once, before threads are started.
 * Returns false where the system cannot do this; on systems without `/proc` nobody can read them this way.
 */
export function hideEnvironment(visible: readonly string[]): boolean {
  let block: Buffer;
  try {
    block = readFileSync('/proc/self/environ');
  } catch {
    return process.platform !== 'linux';
  }
  try {
    const start = startOfBlock();
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      const found = Buffer.alloc(block.length);
      readSync(memory, found, 0, found.length, start);
      // If the memory contains anything else, it must not be overwritten.
      if (!found.equals(block)) return false;
      for (const { name, from, length } of valuesIn(block)) {
        const value = process.env[name];
        if (length === 0 || value === undefined || RUNTIME.test(name) || visible.includes(name)) continue;
        // Reads of a variable use the block until the variable is assigned: the assignment stores a copy elsewhere.
        process.env[name] = value;
        writeSync(memory, Buffer.alloc(length), 0, length, start + from);
      }
    } finally {
      closeSync(memory);
    }
    return true;
  } catch {
    return false;
  }
}

/** Returns the position and length of each value in the environment block, in bytes. */
function valuesIn(block: Buffer): { readonly name: string; readonly from: number; readonly length: number }[] {
  const values = [];
  for (let start = 0; start < block.length;) {
    const found = block.indexOf(0, start);
    const end = found === -1 ? block.length : found;
    const equals = block.indexOf('=', start);
    if (equals > start && equals < end) {
      values.push({ name: block.toString('utf8', start, equals), from: equals + 1, length: end - equals - 1 });
    }
    start = end + 1;
  }
  return values;
}

/** Returns the address of the environment block in the memory of this process. */
function startOfBlock(): number {
  // The name of the program is in parentheses and may contain spaces; the third field follows it.
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  const start = Number(fields[ENV_START - 1]);
  if (!Number.isSafeInteger(start) || start <= 0) throw new Error('The system does not show where the variables are');
  return start;
}

/** Removes variables that packages would read by themselves, after the configuration was read. */
export function removeVariables(name: RegExp): void {
  for (const variable of Object.keys(process.env)) if (name.test(variable)) delete process.env[variable];
}
