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

/** The kinds of files whose classes have the suffix of the file. */
const ROLES = [
  'adapter',
  'client',
  'config',
  'controller',
  'entity',
  'filter',
  'guard',
  'handler',
  'interceptor',
  'module',
  'pipe',
  'presenter',
  'processor',
  'provider',
  'repository',
  'runtime',
  'service',
  'skill',
  'storage',
  'store',
  'task',
];
const NAMED_FILE = new RegExp(String.raw`\.(${ROLES.join('|')})\.ts$`);

/**
 * Reports an exported class whose suffix differs from that of its file (`RunPlanService` in `run-plan.service.ts`), and
 * an exported class with the suffix `Service` in another file. An error may be in the file of the class that throws it.
 */
const classSuffix = {
  create(context) {
    const [, role = ''] = NAMED_FILE.exec(context.filename) ?? [];
    const suffix = role.replace(/(?:^|-)(\w)/g, (_match, letter) => letter.toUpperCase());
    const check = ({ declaration }) => {
      if (declaration?.type !== 'ClassDeclaration' || declaration.id === null) return;
      const { name } = declaration.id;
      const isError = declaration.superClass?.name === 'Error';
      if (!isError && !name.endsWith(suffix)) {
        context.report({ node: declaration.id, message: `A class of a *.${role}.ts file has the suffix ${suffix}.` });
      } else if (role !== 'service' && name.endsWith('Service')) {
        context.report({ node: declaration.id, message: 'A class with the suffix Service is in a *.service.ts file.' });
      }
    };
    return { ExportNamedDeclaration: check };
  },
};

export default { meta: { name: 'platform' }, rules: { 'class-suffix': classSuffix, 'raw-sql': rawSql } };
