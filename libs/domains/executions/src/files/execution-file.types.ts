import type { Fault } from '@app/kernel';

const MIB = 1_048_576;
/** Maximum total size of the files of one execution. The size of a single file is limited by that of a request body. */
export const MAX_FILES_BYTES = 50 * MIB;
export const MAX_FILES = 1_000;
/** UTF-16 code units. */
const MAX_FILE_NAME_LENGTH = 255;

/** An output file of an execution, without its content. */
export interface ExecutionFile {
  /** A relative path, whose parts are separated by slashes; unique in the execution. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly content_type: string;
  readonly created_at: Date;
}

export interface FileContent extends ExecutionFile {
  readonly content: Uint8Array;
}

/** The row of a file. */
export interface StoredFile extends FileContent {
  readonly organization_id: string;
  readonly execution_id: string;
}

/** Control characters. They are rejected because a name is shown in lists and sent in a header. */
const UNPRINTABLE = /[\u0000-\u001f\u007f]/;

/** Returns the fault of a name that is not a relative path inside a folder. */
export function fileNameFault(name: string): Fault | undefined {
  const fault = (msg: string, type: Fault['type']): Fault => ({ path: ['file_name'], msg, type });
  if (name.length > MAX_FILE_NAME_LENGTH) {
    return fault(`Name should have at most ${MAX_FILE_NAME_LENGTH} characters`, 'string_too_long');
  }
  const parts = name.split('/');
  const isPath = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (isPath && !UNPRINTABLE.test(name)) return undefined;
  return fault(
    'Name should be a relative path without control characters and without the parts `.` and `..`',
    'value_error',
  );
}
