import { describeIssue, describeRule } from '@cairn/protocol'
import { CairnError, type OnProgress } from '@cairn/sdk'
import * as v from 'valibot'
import type { CommandContext } from '../command.ts'
import type { Clients } from './clients.ts'
import type { Roots } from './roots.ts'

/** Context of one call of a tool. */
export type ToolContext = {
  /** The context of the command, with the abort signal of this call. */
  command: CommandContext
  clients: Clients
  roots: Roots
  signal: AbortSignal
  onProgress: OnProgress
}

/** What a call returns: facts for programs, and a text with everything that matters in them. */
export type ToolResult = { data: Record<string, unknown>; text: string }

/** Effect of a tool, as clients show it before they ask the user. */
export type ToolEffect =
  /** Changes nothing, neither in the account nor on this machine. */
  | 'reads'
  /** Adds something. */
  | 'adds'
  /** May replace or remove something. */
  | 'replaces'

/** A tool with an input that is not checked yet. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: ToolEffect
  /** Whether a repeated call with the same input has no further effect. */
  readonly isIdempotent: boolean
  readonly input: InputSchema
  /** @throws CairnError INVALID_REQUEST for an input that does not match, and those of the tool */
  call(input: unknown, context: ToolContext): Promise<ToolResult>
}

/** Inputs are objects without further fields. */
type InputSchema = v.StrictObjectSchema<v.ObjectEntries, undefined>

/** Defines a tool whose input is parsed before it runs. */
export function defineTool<const Schema extends InputSchema>(
  tool: Omit<Tool, 'input' | 'call' | 'isIdempotent'> & {
    isIdempotent?: boolean
    input: Schema
    run(input: v.InferOutput<Schema>, context: ToolContext): Promise<ToolResult>
  },
): Tool {
  const { run, isIdempotent = tool.effect === 'reads', ...rest } = tool
  return { ...rest, isIdempotent, call: async (input, context) => run(parseInput(tool.input, input), context) }
}

function parseInput<Schema extends InputSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, input ?? {})
  if (success) return output
  const found = issues.map((issue) => ({ issue, field: v.getDotPath(issue) ?? 'input' }))
  throw new CairnError('INVALID_REQUEST', {
    message: `The input is not valid: ${found.map(({ issue, field }) => describeIssue(issue, field)).join('; ')}`,
    details: { issues: found.map(({ issue, field }) => ({ field, message: describeRule(issue) })) },
  })
}
