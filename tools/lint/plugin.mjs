/** Lint rules of this project, loaded by `.oxlintrc.json`. */

const STATEMENT =
  /^\s*(SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|LOCK TABLE|SET LOCAL|TRUNCATE|CREATE (TABLE|INDEX|UNIQUE)|ALTER TABLE|DROP TABLE)\s+\S/;

/**
 * Reports a string or template that begins like an SQL statement in upper case. `.oxlintrc.json` configures the files
 * to which the rule applies.
 */
const rawSql = {
  create(context) {
    const check = (node, text) => {
      if (typeof text === 'string' && STATEMENT.test(text)) {
        context.report({ node, message: 'Raw SQL belongs in a *.sql.ts file beside the repository.' });
      }
    };
    return {
      Literal: (node) => check(node, node.value),
      TemplateLiteral: (node) => check(node, node.quasis[0].value.cooked),
    };
  },
};

export default { meta: { name: 'platform' }, rules: { 'raw-sql': rawSql } };
