import type { ChangeResult } from '@cairn/sdk'
import type { Output } from './output.ts'

/** Tells what became of a change on the five nodes. */
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
    output.note(`Condition ${id} is met by everyone: no number is below 0. Use ">" to ask for some.`)
  if (pending.length > 0) output.note(sayPending(pending, withstands))
}

/** What it means that nodes lack a change, and what to do. */
export function sayPending(pending: readonly { node: number }[], withstands: number): string {
  const nodes = pending.map(({ node }) => node)
  const missing = nodes.length === 1 ? `Node ${nodes[0]} does` : `Nodes ${nodes.join(', ')} do`
  const risk = withstands === 0 ? ' It is in force as long as none of the other three lies.' : ''
  return `${missing} not have it yet.${risk} Run the same command again, or \`cairn keys repair\`.`
}

/** Five dots for five nodes, full where it is done. */
export function dots(done: readonly number[]): string {
  return [1, 2, 3, 4, 5].map((node) => (done.includes(node) ? '●' : '○')).join('')
}
