import { ResponseBoolean, ResponseInteger, ResponseNested, ResponseString, ResponseStringList } from '@app/http';

export class PreviewedQueueResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: 'Name of the worker queue' })
  readonly name!: string;

  @ResponseString({ description: 'Name of its environment' })
  readonly environment_name!: string;

  @ResponseInteger({ description: 'Number of workers of the queue that are neither disconnected nor stale' })
  readonly workers_alive!: number;

  @ResponseInteger({ description: 'Number of executions that wait in the queue, at most 1000' })
  readonly waiting!: number;

  @ResponseString({
    enum: ['requested', 'environment', 'default'],
    description:
      'Why the run takes this queue: the request or the job names it, it is in an environment of the job or of what runs, ' +
      'or there is no such queue and it is in the default environment',
  })
  readonly reason!: string;
}

export class PreviewedModelResponse {
  @ResponseString({ nullable: true, description: 'Id of the model; null if it is not in the catalogue' })
  readonly id!: string | null;

  @ResponseString({ description: 'Value that the model gateway receives' })
  readonly value!: string;

  @ResponseString({ nullable: true, description: 'Name of the model; null if it is not in the catalogue' })
  readonly label!: string | null;
}

export class PreviewedPoliciesResponse {
  @ResponseBoolean({ description: 'Whether all policies allow the start' })
  readonly allowed!: boolean;

  @ResponseStringList({ description: 'Violations of all policies, in the order of evaluation' })
  readonly violations!: readonly string[];

  @ResponseInteger({ description: 'Number of evaluated policies' })
  readonly policies_evaluated!: number;
}

export class RunPreviewResponse {
  @ResponseString({
    nullable: true,
    description: 'Prompt of the execution, with the parameters inserted; null without one',
  })
  readonly prompt!: string | null;

  @ResponseString({
    nullable: true,
    description: 'System prompt that replaces that of the agent or team; null: theirs is used',
  })
  readonly system_prompt!: string | null;

  @ResponseStringList({ description: 'Parameters that a template uses and the request does not set' })
  readonly missing_parameters!: readonly string[];

  @ResponseNested(PreviewedQueueResponse, {
    nullable: true,
    description: 'Queue of the execution; null if there is none',
  })
  readonly queue!: PreviewedQueueResponse | null;

  @ResponseNested(PreviewedModelResponse, {
    nullable: true,
    description: 'Model of the run, without those of its members and steps; null if there is no model',
  })
  readonly model!: PreviewedModelResponse | null;

  @ResponseNested(PreviewedPoliciesResponse, { description: 'What the policies say of the start' })
  readonly policies!: PreviewedPoliciesResponse;

  @ResponseStringList({ description: 'Why the start would be refused, fail or wait, apart from policies' })
  readonly problems!: readonly string[];
}
