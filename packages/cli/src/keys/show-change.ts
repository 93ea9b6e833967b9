import type { ChangeResult } from '@cairn/sdk'
import type { Output } from '../terminal/output.ts'

/** Shows the outcome of a change on the five nodes. */
export function showChange(
  output: Output,
  what: Record<string, unknown>,
  sentence: string,
  change: ChangeResult,
): void {
  const pending = change.pending.map(({ node, error }) => ({ node, code: error.code }))
  const { done, isEffective, withstands, openConditions } = change
  output.result(
    { ...what, done, pending, isEffective, withstands, ...(openConditions === undefined ? {} : { openConditions }) },
    `${sentence} ${dots(done)}`,
    String(what['cid']),
  )
  for (const id of openConditions ?? [])
    output.note(`Condition ${id} is met by everyone, because every number is at least 0. Use ">" to require an amount.`)
  if (pending.length > 0) output.note(showPending(pending, withstands))
}

/** Explains what pending nodes mean, and what to do. */
export function showPending(pending: readonly { node: number }[], withstands: number): string {
  const nodes = pending.map(({ node }) => node)
  const missing = nodes.length === 1 ? `Node ${nodes[0]} does` : `Nodes ${nodes.join(', ')} do`
  const risk = withstands === 0 ? ' The change is active if the other three nodes are honest.' : ''
  return `${missing} not have it yet.${risk} Run the same command again, or run \`cairn keys repair\`.`
}

/** Returns five dots for five nodes, filled for those that applied it. */
export function dots(done: readonly number[]): string {
  return [1, 2, 3, 4, 5].map((node) => (done.includes(node) ? '●' : '○')).join('')
}
