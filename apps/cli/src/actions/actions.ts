import type { Action } from './action.js';
import { GROUP_ACTIONS, PART_ACTIONS, POLICY_ACTIONS } from './resource-actions.js';
import { EXECUTION_ACTIONS, SESSION_ACTIONS, TRIGGER_ACTIONS } from './run-actions.js';

/** The commands for single routes. */
export const ACTIONS: readonly Action[] = [
  ...EXECUTION_ACTIONS,
  ...SESSION_ACTIONS,
  ...TRIGGER_ACTIONS,
  ...POLICY_ACTIONS,
  ...PART_ACTIONS,
  ...GROUP_ACTIONS,
];
