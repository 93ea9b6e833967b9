/** How often a failed test of `npm test` runs again. CI sets 1, so that a busy machine does not hold up a change; 0 elsewhere. */
export const retries = Number(process.env['CAIRN_TEST_RETRIES'] ?? 0)
