// Tests run our ESM as CommonJS, converted by swc; Node, not Jest, loads the packages. Production runs bundles.
const swc = ['@swc/jest', require('./tools/jest/swc-options.cjs')];
const { paths } = require('./tsconfig.json').compilerOptions;
const base = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/tools/jest/environment.cjs',
  runtime: '<rootDir>/tools/jest/runtime.cjs',
  setupFilesAfterEnv: ['<rootDir>/tools/jest/timeout.cjs', '<rootDir>/tools/jest/property-seed.cjs'],
  transform: { '^.+\\.(t|m?j)s$': swc },
  transformIgnorePatterns: ['/node_modules/'],
  moduleNameMapper: {
    '^@app/executions/testing$': '<rootDir>/libs/domains/executions/src/testing/open-gate.module.ts',
    '^@app/([^/]+)$': paths['@app/*'].map((path) => path.replace('.', '<rootDir>').replace('*', '$1')),
    '/thread-file\\.js$': '<rootDir>/tools/jest/policy-thread-file.cjs',
  },
  resolver: '<rootDir>/tools/jest/resolver.cjs',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
};

module.exports = {
  testSequencer: '<rootDir>/tools/jest/sequencer.cjs',
  // Runs also a single test file in a worker: a worker can end while the shared platform still has connections open.
  workerIdleMemoryLimit: '8GB',
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,tools}/**/*.spec.ts'] },
    {
      ...base,
      displayName: 'integration',
      testMatch: ['<rootDir>/{apps,libs,tools}/**/*.int-spec.ts'],
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
    },
  ],
};
