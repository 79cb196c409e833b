export { TeamsModule } from './teams.module.js';
export { TeamMemberService } from './team-member.service.js';
export { TeamService } from './team.service.js';
export { AssembledTeam } from './team.source.js';
export {
  TEAM_STATUSES,
  type CreateTeam,
  type Team,
  type TeamFilter,
  type TeamStatus,
  type UpdateTeam,
} from './team.types.js';
