import { PolicyConfig, provideConfig } from '@app/config';
import { DispatchHandlersModule } from '@app/dispatch';
import { Module } from '@nestjs/common';
import { PoliciesModule } from './policies.module.js';
import { PolicyDecisionPartitionsTask } from './decisions/policy-decision-partitions.task.js';

/** Background work for policies, loaded by the dispatcher role. */
@Module({
  imports: [DispatchHandlersModule, PoliciesModule],
  providers: [provideConfig(PolicyConfig), PolicyDecisionPartitionsTask],
})
export class PoliciesHandlersModule {}
