import { PoliciesModule } from '@app/policies';
import { Module } from '@nestjs/common';
import { PoliciesController } from './policies.controller.js';
import { PolicyAssociationsController } from './policy-associations.controller.js';

/** The fixed paths come before the one that takes any policy's id. */
@Module({ imports: [PoliciesModule], controllers: [PolicyAssociationsController, PoliciesController] })
export class PoliciesHttpModule {}
