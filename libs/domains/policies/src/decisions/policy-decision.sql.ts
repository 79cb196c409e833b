import { columnsOf, type PreparedStatement } from '@app/database';
import { PolicyDecisionEntity } from './policy-decision.entity.js';

/** The columns of a `PolicyDecision`, in the order of the parameters of `INSERT_DECISION`. */
export const DECISION_COLUMNS = columnsOf(PolicyDecisionEntity, 'policy_ids');

/** The columns of a `PolicyDecisionSummary`. */
export const SUMMARY_COLUMNS = columnsOf(PolicyDecisionEntity, 'policy_ids', 'input');

/** The last parameter is `policy_ids`. */
export const INSERT_DECISION: PreparedStatement = {
  name: 'policy_decisions.insert',
  text: `
  INSERT INTO policy_decisions (${DECISION_COLUMNS.join(', ')}, policy_ids)
  VALUES (${DECISION_COLUMNS.map((_column, index) => `$${index + 1}`).join(', ')}, $${DECISION_COLUMNS.length + 1})`,
};
