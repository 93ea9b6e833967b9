import { CairnError, explainConditions, getConditions, removeConditions, setConditions } from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { cidOf } from '../arguments/cid-of.ts'
import { readAddress } from '../arguments/read-addresses.ts'
import { readConditionsFile } from '../arguments/read-conditions.ts'
import { type CommandContext, text, type Values } from '../command.ts'
import { conditionTemplates } from '../keys/condition-templates.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { showChange } from '../keys/show-change.ts'
import { showFindings } from '../keys/show-findings.ts'

async function show(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { output, session, signal } = context
  const found = await getConditions(await session.anonymous(), cid, { signal })
  output.result(found, JSON.stringify(found, null, 2).split('\n'))
}

async function set(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { args, output, stdin, signal } = context
  const conditions = await readConditionsFile(args[2] ?? '-', stdin)
  const change = await setConditions(await openKeyClient(context), cid, conditions, { signal })
  showChange(output, { cid }, `Set the conditions of ${cid}.`, change)
}

async function remove(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { output, signal } = context
  const change = await removeConditions(await openKeyClient(context), cid, { signal })
  showChange(output, { cid }, `Removed the conditions of ${cid}.`, change)
}

async function check(context: CommandContext): Promise<void> {
  const { args, values, output, stdin, signal } = context
  const given = text(values, 'of')
  const about = given === undefined ? undefined : readAddress(given)
  const input = await readConditionsFile(args[1] ?? '-', stdin)
  const verdict = await explainConditions(await openKeyClient(context), input, {
    ...(about === undefined ? {} : { about }),
    signal,
  })
  output.result(
    { about, ...verdict },
    () => {
      const head = `${about ?? 'You'} ${verdict.isAllowed ? 'would meet' : 'would not meet'} these conditions.`
      return [head, ...showFindings(verdict)]
    },
    String(verdict.isAllowed),
  )
}

async function template({ args, values, output }: CommandContext): Promise<void> {
  const name = args[1]
  const make = name !== undefined && Object.hasOwn(conditionTemplates, name) ? conditionTemplates[name] : undefined
  if (make === undefined) {
    throw new CairnError('USAGE', {
      message: name === undefined ? 'A template name is required' : `Unknown template ${name}`,
      hint: `Use one of ${Object.keys(conditionTemplates).join(', ')}.`,
    })
  }
  const json = make({
    chain: text(values, 'chain'),
    contract: text(values, 'contract'),
    min: minimumOf(values),
    tokenId: text(values, 'token-id'),
  })
  output.result(json, JSON.stringify(json, null, 2).split('\n'))
}

/** Returns an integer of any size as text, as conditions have them. @throws CairnError USAGE */
function minimumOf(values: Values): string | undefined {
  const value = text(values, 'at-least')
  if (value === undefined || /^(?:\d+|0x[0-9a-fA-F]+)$/.test(value)) return value
  throw new CairnError('USAGE', {
    message: `--at-least must be a whole number: ${JSON.stringify(value)}`,
    hint: 'Use the smallest unit of the coin or token, in decimal or with 0x.',
  })
}

const actions: Actions = { show, set, remove, template, check }

export const conditions = actionCommand(actions, {
  name: 'conditions',
  summary: 'Show, set, remove or check the conditions of a file, or print a template',
  usage: '<cid|name|file> [file|-]',
  arity: [1, 3],
  maxArguments: { show: 2, remove: 2, template: 2, check: 2 },
  options: {
    chain: { type: 'string', actions: ['template'], about: 'template: name of the chain', value: 'name' },
    contract: {
      type: 'string',
      actions: ['template'],
      about: 'template: address of the contract or mint',
      value: 'address',
    },
    'at-least': {
      type: 'string',
      actions: ['template'],
      about: 'template: minimum amount in smallest units, time or block',
      value: 'n',
    },
    'token-id': { type: 'string', actions: ['template'], about: 'template: token id', value: 'n' },
    of: { type: 'string', actions: ['check'], about: 'check: address to check', value: 'address' },
  },
  examples: [
    'cairn conditions template erc20 --chain Optimism --contract 0x… --at-least 1000 > rule.json',
    'cairn conditions check rule.json --of 0x7099…',
    'cairn conditions set bafy… rule.json',
    'cairn conditions show bafy…',
  ],
})
