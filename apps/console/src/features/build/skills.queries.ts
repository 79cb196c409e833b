import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions, type UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/change';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';

export type AssociatedSkill = ControlPlaneComponents['schemas']['SkillAssociationResponse'];

/** What skills are associated with. */
export interface SkillHolder {
  readonly kind: 'agent' | 'team';
  readonly id: string;
}

const pathOf = ({ kind, id }: SkillHolder) => ({ entity_type: kind, entity_id: id });

export function skillsOfQuery({ controlPlane }: Session, holder: SkillHolder) {
  return keysetQuery<AssociatedSkill>([`/${holder.kind}s`, 'skills', holder.id], (_page, signal) =>
    controlPlane.GET('/api/v1/skills/associations/{entity_type}/{entity_id}/skills', {
      params: { path: pathOf(holder) },
      signal,
    }),
  );
}

/** The skills that a run receives besides those of its agent or team. */
export function inheritedSkillsQuery({ controlPlane }: Session, holder: SkillHolder) {
  return queryOptions({
    queryKey: [`/${holder.kind}s`, 'inherited skills', holder.id],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/skills/associations/{entity_type}/{entity_id}/skills/resolved';
      const skills = await unwrap(controlPlane.GET(path, { params: { path: pathOf(holder) }, signal }));
      return skills.filter(({ inherited }) => inherited);
    },
  });
}

export function useSkillsOf(holder: SkillHolder): {
  readonly add: UseMutationResult<unknown, Error, string>;
  readonly remove: UseMutationResult<unknown, Error, string>;
} {
  const { controlPlane } = useSession();
  const key = [`/${holder.kind}s`];
  const add = useChange(key, (skill_id: string) => {
    const params = { path: pathOf(holder) };
    const path = '/api/v1/skills/associations/{entity_type}/{entity_id}/skills';
    return unwrap(controlPlane.POST(path, { params, body: { skill_id } }));
  });
  const remove = useChange(key, (skill_id: string) => {
    const params = { path: { ...pathOf(holder), skill_id } };
    const path = '/api/v1/skills/associations/{entity_type}/{entity_id}/skills/{skill_id}';
    return unwrap(controlPlane.DELETE(path, { params }));
  });
  return { add, remove };
}
