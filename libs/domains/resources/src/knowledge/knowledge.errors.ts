import { conflict, notFound, type DomainError } from '@app/kernel';

export const knowledgeNotFound = (): DomainError => notFound('knowledge_not_found', 'Knowledge entry');

/** `places` lists what refers to the entry. */
export const knowledgeInUse = (places: string): DomainError =>
  conflict('knowledge_in_use', `The knowledge entry is used by: ${places}; remove it there first`);
