import { ResponseInteger, ResponseString, ResponseTime } from '@app/http';

export class ExecutionFileResponse {
  @ResponseString({ example: 'reports/summary.md', description: 'Relative path in the folder of the run' })
  readonly name!: string;

  @ResponseInteger({ description: 'Size in bytes' })
  readonly size!: number;

  @ResponseString({ example: 'text/markdown', description: 'Media type' })
  readonly content_type!: string;

  @ResponseTime({ description: 'Time of the last upload' })
  readonly created_at!: string;
}
