import { unavailable, type DomainError } from '@app/kernel';

export const messageStoreAway = (): DomainError =>
  unavailable('message_store_away', 'The message store can not be reached');
