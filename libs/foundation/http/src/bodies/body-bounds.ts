import type { Scope } from '@app/kernel';
import type { WireRequest } from '../wire/wire-request.js';
import { BudgetPerHolder, ByteBudget, CombinedBudget, type Budget } from './byte-budget.js';
import { clientAddressOf } from '../access/client-address.js';

const MIB = 1_048_576;
/** In bytes after decompression. */
export const BODY_LIMIT = MIB;
const LARGE_BODY_LIMIT = 10 * MIB;

export interface BodyBounds {
  /** Maximum size of this body, in bytes after decompression. */
  readonly limit: number;
  /** Shared with other requests. The bytes of this body are released when the response has ended. */
  readonly budget: Budget;
}

/**
 * Budgets of the bodies that this process holds at a time, in bytes. The budgets of one organization, one sender and
 * one address are smaller than the total, so that one of them cannot use it up, which would cause the rejection of all
 * other requests.
 */
const KEYED = { all: new ByteBudget(256 * MIB), organizations: new BudgetPerHolder(128 * MIB) };

/** Public routes have their own budgets, so that senders without a key cannot use up those of callers with a key. */
const PUBLIC = {
  all: new ByteBudget(64 * MIB),
  organizations: new BudgetPerHolder(16 * MIB),
  addresses: new BudgetPerHolder(16 * MIB),
  senders: new BudgetPerHolder(4 * MIB),
};

/**
 * The budget of files that are being sent. It is separate from that of requests, because slow clients can occupy it for
 * long.
 */
const FILES = { all: new ByteBudget(128 * MIB), organizations: new BudgetPerHolder(32 * MIB) };

/** The budget of responses that are composed in memory and can have many megabytes, such as the spans of a trace. */
const LARGE_RESPONSES = { all: new ByteBudget(128 * MIB), organizations: new BudgetPerHolder(64 * MIB) };

/** Returns the budget of the large responses to callers of one organization. */
export function largeResponseBudgetOf({ organizationId }: Scope): Budget {
  return new CombinedBudget([LARGE_RESPONSES.organizations.of(organizationId), LARGE_RESPONSES.all]);
}

/** Returns the budget of the files that are sent to callers of one organization. */
export function fileBudgetOf({ organizationId }: Scope): Budget {
  return new CombinedBudget([FILES.organizations.of(organizationId), FILES.all]);
}

/**
 * Returns the limits of a body. Must be called after the guards, which determine the caller or the sender of the
 * request.
 */
export function boundsOf(
  route: { readonly isKeyed: boolean; readonly isLarge: boolean },
  request: WireRequest,
): BodyBounds {
  const limit = route.isLarge ? LARGE_BODY_LIMIT : BODY_LIMIT;
  return { limit, budget: new CombinedBudget(route.isKeyed ? keyedBudgets(request) : publicBudgets(request)) };
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
