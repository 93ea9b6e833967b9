import type { explainConditions } from '@cairn/sdk'

const words = { true: 'yes', false: 'no', unknown: 'not known' } as const

/** Shows one line per evaluated condition: its id, the result, the value on the chain, and the reason. */
export function showFindings({ conditions }: Awaited<ReturnType<typeof explainConditions>>): string[] {
  return conditions.map(({ id, result, observed, reason }) => {
    const observation = observed === undefined ? '' : `, the chain returned ${JSON.stringify(observed)}`
    return `  [${id}] ${words[result]}${observation}${reason === undefined ? '' : `: ${reason}`}`
  })
}
