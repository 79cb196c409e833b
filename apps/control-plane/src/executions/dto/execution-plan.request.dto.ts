import { PLANNABLE_TYPES, type PlannableType } from '@app/executions';
import { EnumField, StringField } from '@app/http';

export class PlanExecutionRequest {
  @EnumField(PLANNABLE_TYPES, { required: true, anyCase: true, description: 'Kind of the chosen candidate' })
  readonly entity_type!: PlannableType;

  @StringField({ required: true, maxLength: 255, description: 'Id of the chosen candidate' })
  readonly entity_id!: string;

  @StringField({ description: 'Prompt for the candidate, which replaces that of the execution. Default: no change' })
  readonly prompt?: string | null;

  @StringField({ required: true, maxLength: 10_000, description: 'Reason for the choice, as free text' })
  readonly reason!: string;
}
