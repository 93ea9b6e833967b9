import type { explainConditions } from '@cairn/sdk'

/** A line for each condition that was read: its id, what came of it, what the chain said, and why. */
export function showFindings({ conditions }: Awaited<ReturnType<typeof explainConditions>>): string[] {
  return conditions.map(({ id, result, observed, reason }) => {
    const said = observed === undefined ? '' : `, the chain says ${JSON.stringify(observed)}`
    return `  [${id}] ${result}${said}${reason === undefined ? '' : `: ${reason}`}`
  })
}
