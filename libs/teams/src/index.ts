export { TeamsModule } from './teams.module.js';
export { TeamRunService } from './team-run.service.js';
export { TeamService } from './team.service.js';
export {
  TEAM_STATUSES,
  type CreateTeam,
  type ExecuteTeam,
  type RunnableTeam,
  type StoredTeam,
  type Team,
  type TeamFilter,
  type TeamStatus,
  type UpdateTeam,
} from './team.types.js';
