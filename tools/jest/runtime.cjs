// Runs test files in the realm of their Jest worker and loads packages with Node's own loader, as in production: a
// package is evaluated once per worker, not once per test file, which took a third of the CPU time of a test run. Our
// own modules are evaluated anew for each file.
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { compileFunction } = require('node:vm');
const Runtime = require('jest-runtime').default;

// Requires on behalf of a package: Node prints a warning if a file outside node_modules requires an ES module.
const requirePackage = createRequire(path.join(__dirname, '../../node_modules/jest/package.json'));
// @nestjs/typeorm prints a warning if an earlier file has not closed its data source.
const LOADED_BY_JEST = /^(\.|\/|@app\/|@jest\/globals$|@nestjs\/typeorm$)/;
const IMPORT_CONDITIONS = ['node', 'node-addons', 'import', 'default'];

/** The compiled modules of this worker by their file. Each is a function that a test file calls with its own `module`. */
const compiled = new Map();

module.exports = class extends Runtime {
  constructor(config, environment, resolver, ...others) {
    super(config, environment, resolver, ...others);
    this.resolver = resolver;
    const parameters = this.executor.injectedModuleParameters;
    this.executor.compile = (source, filename) => {
      const former = compiled.get(filename);
      if (former?.source === source) return former.run;
      const run = compileFunction(source, parameters, { filename });
      compiled.set(filename, { source, run });
      return run;
    };
  }

  requireModuleOrMock(from, name) {
    if (LOADED_BY_JEST.test(name) || isBuiltin(name)) return super.requireModuleOrMock(from, name);
    return requirePackage(this.resolver.resolveModule(from, name, { conditions: IMPORT_CONDITIONS }));
  }

  // Jest replaces `process.getBuiltinModule`, assuming that its environment has a copy of `process`. Here it is the
  // original.
  installGetBuiltinModule() {}
};
