import { ResponseString } from '@app/http';
import { PROJECT_STATUSES, type ProjectSummary } from '@app/projects';

/** A project in the responses of its agents and teams. */
export class ProjectSummaryResponse {
  @ResponseString({ description: 'Project id' })
  readonly id!: string;

  @ResponseString({ description: 'Project name' })
  readonly name!: string;

  @ResponseString({ description: 'Project key' })
  readonly key!: string;

  @ResponseString({ enum: PROJECT_STATUSES, description: 'Project status' })
  readonly status!: string;
}

export function toProjectSummary({ id, name, key, status }: ProjectSummary): ProjectSummaryResponse {
  return { id, name, key, status };
}
