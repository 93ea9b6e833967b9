export { readEnvironment } from './environment.ts'
export { run, version } from './run.ts'
