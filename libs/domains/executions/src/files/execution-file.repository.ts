import { Database } from '@app/database';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ExecutionFileEntity } from './execution-file.entity.js';
import { MEASURE_OTHER_FILES, SAVE_FILE } from './execution-file.sql.js';
import type { ExecutionFile, FileContent } from './execution-file.types.js';

/** The columns of a file without its content. */
const LISTED = ['name', 'size', 'content_type', 'created_at'] as const;

export interface FilesSize {
  readonly files: number;
  readonly bytes: number;
}

@Injectable()
export class ExecutionFileRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list({ organizationId }: Scope, executionId: string, page: Page): Promise<PageResult<ExecutionFile>> {
    const query = this.database
      .select(ExecutionFileEntity, 'file', { organization_id: organizationId, execution_id: executionId })
      .select(LISTED.map((column) => `file.${column}`))
      .orderBy('file.created_at', 'DESC');
    return this.database.listPage<ExecutionFileEntity, Pick<ExecutionFileEntity, (typeof LISTED)[number]>>(query, page);
  }

  async sizeOf({ organizationId }: Scope, executionId: string, name: string): Promise<number | undefined> {
    const key = { organization_id: organizationId, execution_id: executionId, name };
    const query = this.database.select(ExecutionFileEntity, 'file', key).select(['file.size']);
    const [row] = await this.database.rows<ExecutionFileEntity, Pick<ExecutionFileEntity, 'size'>>(query);
    return row?.size;
  }

  async find({ organizationId }: Scope, executionId: string, name: string): Promise<FileContent | undefined> {
    const key = { organization_id: organizationId, execution_id: executionId, name };
    return this.database.findOne(ExecutionFileEntity, key);
  }

  /** Returns the number and total size of the files of an execution, without the file `name`. */
  async sizeOfOthers({ organizationId }: Scope, executionId: string, name: string): Promise<FilesSize> {
    const values = [organizationId, executionId, name];
    const [row] = await this.database.prepared<{ files: number; bytes: number }>(MEASURE_OTHER_FILES, values);
    return row ?? { files: 0, bytes: 0 };
  }

  /** Inserts a file or replaces the file with the same name. */
  async save({ organizationId }: Scope, executionId: string, file: FileContent): Promise<void> {
    const { name, size, content_type, content, created_at } = file;
    const values = [organizationId, executionId, name, size, content_type, content, created_at];
    await this.database.prepared(SAVE_FILE, values);
  }
}
