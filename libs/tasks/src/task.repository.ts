import { Database } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { TaskEntity } from './task.entity.js';
import type { RequestedTask } from './task.types.js';

@Injectable()
export class TaskRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, task: RequestedTask): Promise<void> {
    await this.database.insert(TaskEntity, { ...task, organization_id: scope.organizationId });
  }

  async find(scope: Scope, id: string): Promise<RequestedTask | undefined> {
    return this.database.findOne(TaskEntity, { organization_id: scope.organizationId, execution_id: id });
  }

  /** Newest first. */
  async list(scope: Scope, page: Page): Promise<Listed<RequestedTask>> {
    return this.database.list<RequestedTask>(page, {
      columns: '*',
      from: 'tasks WHERE organization_id = $1',
      order: 'created_at DESC, execution_id DESC',
      values: [scope.organizationId],
    });
  }
}
