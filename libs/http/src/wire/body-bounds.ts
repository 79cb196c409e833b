import type { Scope } from '@app/kernel';
import type { Access, WireRequest } from '../routes/access.js';
import { BudgetPerHolder, ByteBudget, CombinedBudget, type Budget } from './byte-budget.js';
import { clientAddressOf } from './client-address.js';

const MIB = 1_048_576;
/** In bytes after decompression. */
export const BODY_LIMIT = MIB;
const LARGE_BODY_LIMIT = 10 * MIB;

export interface BodyBounds {
  /** Maximum of this body, in bytes after decompression. */
  readonly limit: number;
  /** Shared with other requests; the share of this body is returned when the response has ended. */
  readonly budget: Budget;
}

/**
 * Budgets of the bodies that this process holds at a time, in bytes. The parts of one organization, one sender and one
 * address are smaller than the whole, so that the requests of one cannot use it up and cause the rejection of all
 * others.
 */
const KEYED = { all: new ByteBudget(256 * MIB), organizations: new BudgetPerHolder(128 * MIB) };

/** Public routes have their own, so that senders without a key cannot use up those of callers with one. */
const PUBLIC = {
  all: new ByteBudget(64 * MIB),
  organizations: new BudgetPerHolder(16 * MIB),
  addresses: new BudgetPerHolder(16 * MIB),
  senders: new BudgetPerHolder(4 * MIB),
};

/** Files that are being sent: their clients decide how long that takes, so they share no budget with the requests. */
const FILES = { all: new ByteBudget(128 * MIB), organizations: new BudgetPerHolder(32 * MIB) };

/** The budget of the files that are sent to callers of one organization. */
export function fileBudgetOf({ organizationId }: Scope): Budget {
  return new CombinedBudget([FILES.organizations.of(organizationId), FILES.all]);
}

/** Call it after the guards, which find the caller or the sender of the request. */
export function boundsOf(access: Access | undefined, isLarge: boolean, request: WireRequest): BodyBounds {
  const limit = isLarge ? LARGE_BODY_LIMIT : BODY_LIMIT;
  const isKeyed = access !== undefined && access.kind !== 'public';
  return { limit, budget: new CombinedBudget(isKeyed ? keyedBudgets(request) : publicBudgets(request)) };
}

function keyedBudgets({ caller }: WireRequest): Budget[] {
  return caller === undefined ? [KEYED.all] : [KEYED.organizations.of(caller.organizationId), KEYED.all];
}

function publicBudgets(request: WireRequest): Budget[] {
  const { sender } = request;
  const known =
    sender === undefined ? [] : [PUBLIC.senders.of(sender.id), PUBLIC.organizations.of(sender.organizationId)];
  return [...known, PUBLIC.addresses.of(clientAddressOf(request)), PUBLIC.all];
}
