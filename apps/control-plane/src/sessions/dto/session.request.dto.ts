import { EXECUTION_TYPES, type ExecutionType } from '@app/executions';
import { EnumField, ListQuery, PatchOf, StringField } from '@app/http';

export class ListSessionsQuery extends ListQuery {
  @StringField({ empty: 'keep', description: 'Sessions whose last run was of an agent or team of this project' })
  readonly project_id?: string;

  @StringField({ empty: 'keep', description: 'Id of the user to whom the sessions belong' })
  readonly user_id?: string;

  @EnumField(EXECUTION_TYPES, { empty: 'keep', anyCase: true, description: 'Kind of what ran last; case is ignored' })
  readonly execution_type?: ExecutionType;

  @StringField({ empty: 'keep', description: 'Id of what ran last' })
  readonly entity_id?: string;

  @StringField({
    empty: 'keep',
    maxLength: 255,
    description: 'A part of the name, case is ignored; or the whole `session_id`',
  })
  readonly q?: string;
}

class SessionName {
  @StringField({ required: true, maxLength: 255, description: 'New name' })
  readonly name!: string;
}

export class UpdateSessionRequest extends PatchOf(SessionName) {}

export class ForkSessionRequest {
  @StringField({
    maxLength: 255,
    description: 'Last message of the new session; of several with this id, the newest. Default: the last one',
  })
  readonly message_id?: string | null;

  @StringField({ maxLength: 255, description: 'Name of the new session. Default: that of the original' })
  readonly name?: string | null;
}
