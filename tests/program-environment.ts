/** What a program of ours that a test starts keeps of the test's own environment: where programs are, and what Node has compiled before. */
export const programEnvironment = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
