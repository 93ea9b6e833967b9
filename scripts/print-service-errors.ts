import { serviceErrors } from '@cairn/protocol/service-errors'

/** Prints the texts that browsers have for errors that only services and the command line create. */
export function printServiceErrors(): string {
  const rows = Object.entries(serviceErrors).map(
    ([code, { status, retry }]) => `  ${code}: answered(${status}${retry ? ', true' : ''}),\n`,
  )
  return `// Printed by \`npm run generate\` from service-errors.ts: what browsers have of it.
import { type ErrorRow, row } from './error-row.ts'
import type { serviceErrors as complete } from './service-errors.ts'

/** Used if the response has no texts, as one to HEAD. */
function answered(status: number, retry = false): ErrorRow {
  return row(status, 'The service refused the request', 'If the error persists, contact the operator.', retry)
}

export const serviceErrors = {
${rows.join('')}} as const satisfies Record<keyof typeof complete, ErrorRow>
`
}
