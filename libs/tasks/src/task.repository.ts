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
    const from = `FROM tasks WHERE organization_id = $1`;
    const values = [scope.organizationId];
    const [items, counted] = await Promise.all([
      this.database.page<RequestedTask>(
        page,
        `SELECT * ${from} ORDER BY created_at DESC, execution_id DESC LIMIT $2 OFFSET $3`,
        [...values, page.limit, page.skip],
      ),
      this.database.sql<{ total: number }>(`SELECT count(*)::int AS total ${from}`, values),
    ]);
    return { items, total: counted[0]?.total ?? 0 };
  }
}
