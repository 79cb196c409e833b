import { describe, expect, it } from '@jest/globals';
import { createTestContext } from '@app/testing';
import { SchedulerRegistry } from '@nestjs/schedule';
import { DispatcherRoleModule, HttpRoleModule } from './roles.js';

describe('the roles of the control plane', () => {
  it('http: schedules nothing', async () => {
    const context = await createTestContext([HttpRoleModule]);
    expect(() => context.get(SchedulerRegistry)).toThrow('could not find SchedulerRegistry');
    await context.close();
  });

  it('dispatcher: schedules the tasks of every domain', async () => {
    const context = await createTestContext([DispatcherRoleModule]);
    const scheduler = context.get(SchedulerRegistry);
    const scheduled = [...scheduler.getIntervals(), ...scheduler.getCronJobs().keys()];
    await context.close();
    expect(scheduled.sort()).toEqual([
      'events.find_unread',
      'executions.advance_sessions',
      'executions.aggregate',
      'executions.prune',
      'executions.prune_stops',
      'executions.reap_leases',
      'executions.reconcile_deliveries',
      'idempotency.prune',
      'identity.prune_keys',
      'jobs.fire_due',
      'jobs.prune_instants',
      'jobs.prune_webhook_messages',
      'jobs.reconcile_schedules',
      'outbox.sweep',
      'policies.partition_decisions',
      'secrets.rotate',
      'traces.partition_spans',
      'webhooks.follow',
      'webhooks.prune',
      'webhooks.sweep',
      'worker_queues.orphaned_work',
      'worker_queues.sample',
      'workers.prune',
    ]);
  });
});
