import { EnvironmentService } from '@app/environments';
import { ExecutionService, ExecutionStepService, LeaseService, RunnableSources } from '@app/executions';
import { ProjectLookupService } from '@app/projects';
import type { Type } from '@nestjs/common';
import type { RunAssembler } from '../leases/run-assembler.js';
import { RunCandidatesService } from '../leases/run-candidates.service.js';
import { RunPreparationService } from '../leases/run-preparation.service.js';

/** The providers of a test. */
interface Providers {
  get<T>(type: Type<T>): T;
}

/** Returns the preparation of runs with an assembler that the test provides. */
export function preparationOf(context: Providers, assembler: RunAssembler): RunPreparationService {
  return new RunPreparationService(
    context.get(LeaseService),
    context.get(ExecutionService),
    assembler,
    context.get(ExecutionStepService),
    new RunCandidatesService(
      context.get(RunnableSources),
      context.get(EnvironmentService),
      context.get(ProjectLookupService),
    ),
  );
}
