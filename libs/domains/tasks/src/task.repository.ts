import { Database } from '@app/database';
import { withoutUndefined, type NameFilter, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { TaskEntity } from './task.entity.js';
import type { TaskRow } from './task.types.js';

@Injectable()
export class TaskRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, task: TaskRow): Promise<void> {
    await this.database.insert(TaskEntity, { ...task, organization_id: organizationId });
  }

  async find({ organizationId }: Scope, id: string): Promise<TaskRow | undefined> {
    return this.database.findOne(TaskEntity, { organization_id: organizationId, execution_id: id });
  }

  /** Newest first. */
  async list({ organizationId }: Scope, page: Page, { name }: NameFilter): Promise<PageResult<TaskRow>> {
    const query = this.database
      .select(TaskEntity, 'task', { ...withoutUndefined({ name }), organization_id: organizationId })
      .orderBy('task.created_at', 'DESC');
    return this.database.listPage(query, page);
  }
}
