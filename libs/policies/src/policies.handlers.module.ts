import { Module } from '@nestjs/common';
import { PoliciesModule } from './policies.module.js';
import { PolicyAssociationSweepTask } from './policy-association-sweep.task.js';
import { PolicyDecisionPartitionsTask } from './policy-decision-partitions.task.js';

/** What a dispatcher does for policies. */
@Module({ imports: [PoliciesModule], providers: [PolicyAssociationSweepTask, PolicyDecisionPartitionsTask] })
export class PoliciesHandlersModule {}
