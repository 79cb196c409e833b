import { conflict, notFound, type DomainError } from '@app/kernel';

/** Maximum number of entities that the error for a used skill names. */
export const MAX_NAMED_HOLDERS = 10;

export const skillNotFound = (): DomainError => notFound('skill_not_found', 'Skill');

export const skillNotAssociated = (): DomainError => notFound('skill_association_not_found', 'Skill association');

export const skillAssociated = (): DomainError =>
  conflict('skill_associated', 'The skill is already associated with this entity');

export const tooManySkills = (max: number): DomainError =>
  conflict('skill_associations_too_many', `An entity can have at most ${max} skills`);

/** `holders`: descriptions such as `agent Writer (0198…)`, at most `MAX_NAMED_HOLDERS`; `total`: number of all. */
export function skillInUse(holders: readonly string[], total: number): DomainError {
  const more = total > holders.length ? ` and ${total - holders.length} more` : '';
  return conflict('skill_in_use', `The skill is used by ${holders.join(', ')}${more}`);
}
