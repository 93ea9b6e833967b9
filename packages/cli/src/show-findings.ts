import type { explainConditions } from '@cairn/sdk'

/** Shows one line per evaluated condition: its id, the result, the value on the chain, and the reason. */
export function showFindings({ conditions }: Awaited<ReturnType<typeof explainConditions>>): string[] {
  return conditions.map(({ id, result, observed, reason }) => {
    const observation = observed === undefined ? '' : `, the chain says ${JSON.stringify(observed)}`
    return `  [${id}] ${result}${observation}${reason === undefined ? '' : `: ${reason}`}`
  })
}
