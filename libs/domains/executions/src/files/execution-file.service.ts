import { Clock, invalid, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { executionFileNotFound } from '../executions/execution.errors.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import { ExecutionFileRepository } from './execution-file.repository.js';
import {
  fileNameFault,
  MAX_FILES,
  MAX_FILES_BYTES,
  type ExecutionFile,
  type FileContent,
} from './execution-file.types.js';

/** The output files of executions, which their workers upload. They are kept as long as the execution. */
@Injectable()
export class ExecutionFileService {
  constructor(
    private readonly files: ExecutionFileRepository,
    private readonly fence: ExecutionFence,
    private readonly clock: Clock,
  ) {}

  /** Newest first, without their contents. */
  async list(scope: Scope, executionId: string, page: Page): Promise<PageResult<ExecutionFile>> {
    await this.fence.checkExists(scope, executionId);
    return this.files.list(scope, executionId, page);
  }

  /** Returns the size of a file in bytes, without reading its content. */
  async sizeOf(scope: Scope, executionId: string, name: string): Promise<number> {
    const size = await this.files.sizeOf(scope, executionId, name);
    if (size === undefined) throw executionFileNotFound();
    return size;
  }

  async read(scope: Scope, executionId: string, name: string): Promise<FileContent> {
    const file = await this.files.find(scope, executionId, name);
    if (file === undefined) throw executionFileNotFound();
    return file;
  }

  /**
   * Stores a file, or replaces the file with the same name. Throws `invalid` for a name that is not a relative path,
   * and if the files of the execution would exceed `MAX_FILES` or, in total, `MAX_FILES_BYTES`.
   */
  async save(
    scope: Scope,
    executionId: string,
    { name, content, content_type }: Pick<FileContent, 'name' | 'content' | 'content_type'>,
    leaseToken: string | null,
  ): Promise<ExecutionFile> {
    const fault = fileNameFault(name);
    if (fault !== undefined) throw invalid([fault]);
    const file = { name, size: content.byteLength, content_type, created_at: this.clock.now() };
    return this.fence.write(scope, executionId, leaseToken, async () => {
      const others = await this.files.sizeOfOthers(scope, executionId, name);
      const msg = excessOf(others.files + 1, others.bytes + file.size);
      if (msg !== undefined) throw invalid([{ path: [], msg, type: 'too_long' }]);
      await this.files.save(scope, executionId, { ...file, content });
      return file;
    });
  }
}

function excessOf(files: number, bytes: number): string | undefined {
  if (files > MAX_FILES) return `An execution should have at most ${MAX_FILES} files`;
  if (bytes <= MAX_FILES_BYTES) return undefined;
  return `The files of an execution should have at most ${MAX_FILES_BYTES / 1_048_576} MiB together`;
}
