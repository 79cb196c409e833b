import { Module } from '@nestjs/common';
import { PoliciesModule } from './policies.module.js';
import { PolicyAssociationSweepTask } from './policy-association-sweep.task.js';

/** What a dispatcher does for policies. */
@Module({ imports: [PoliciesModule], providers: [PolicyAssociationSweepTask] })
export class PoliciesHandlersModule {}
