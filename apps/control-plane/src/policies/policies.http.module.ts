import { PoliciesModule } from '@app/policies';
import { Module } from '@nestjs/common';
import { PoliciesController } from './policies.controller.js';
import { PolicyAssociationsController } from './policy-associations.controller.js';
import { PolicyDecisionsController } from './policy-decisions.controller.js';
import { PolicyDraftsController } from './policy-drafts.controller.js';
import { PolicyEvaluationController } from './policy-evaluation.controller.js';

/** Controllers with fixed paths come first: the last one matches any policy id. */
@Module({
  imports: [PoliciesModule],
  controllers: [
    PolicyAssociationsController,
    PolicyDecisionsController,
    PolicyEvaluationController,
    PolicyDraftsController,
    PoliciesController,
  ],
})
export class PoliciesHttpModule {}
