import type { RunnableRef, UserSession, UserSessionFilter } from '@app/executions';
import { mapPageAsync } from '@app/http';
import { withoutUndefined, type PageResult, type Scope } from '@app/kernel';
import { ProjectLookupService } from '@app/projects';
import { Injectable } from '@nestjs/common';
import type { ListSessionsQuery } from './dto/session.request.dto.js';
import type { UserSessionResponse } from './dto/session.response.dto.js';
import { toUserSessionResponse } from './session.mapper.js';

/** Composes responses of sessions with the projects of what ran in them, with one look-up for any number of sessions. */
@Injectable()
export class SessionPresenter {
  constructor(private readonly projects: ProjectLookupService) {}

  /** A session has no project itself: it belongs to those of what ran last in it. */
  async filterOf(scope: Scope, query: ListSessionsQuery): Promise<UserSessionFilter> {
    const { project_id, user_id: userId, execution_type: executionType, entity_id: entityId, q: words } = query;
    const entities = project_id === undefined ? undefined : await this.projects.membersOf(scope, project_id);
    return withoutUndefined({ userId, executionType, entityId, words, entities });
  }

  async one(scope: Scope, session: UserSession): Promise<UserSessionResponse> {
    const [response] = await this.all(scope, [session]);
    if (response === undefined) throw new Error('The session has no response');
    return response;
  }

  async page(scope: Scope, listed: PageResult<UserSession>): Promise<PageResult<UserSessionResponse>> {
    return mapPageAsync(listed, (sessions) => this.all(scope, sessions));
  }

  private async all(scope: Scope, sessions: readonly UserSession[]): Promise<UserSessionResponse[]> {
    const refs = sessions.flatMap((session) => refsOf(session));
    const projectIdsOf = await this.projects.projectIdsOf(scope, refs);
    return sessions.map((session) => toUserSessionResponse(session, refsOf(session).flatMap(projectIdsOf)));
  }
}

function refsOf({ execution_type: kind, entity_id: id }: UserSession): RunnableRef[] {
  return kind === null || id === null ? [] : [{ kind, id }];
}
