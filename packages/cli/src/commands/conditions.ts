import { CairnError, explainConditions, getConditions, removeConditions, setConditions } from '@cairn/sdk'
import { type Command, pickAction, type Surroundings, text } from '../command.ts'
import { conditionTemplates } from '../condition-templates.ts'
import { openKeyClient } from '../key-client.ts'
import { readConditionsFile } from '../read-conditions.ts'
import { showChange } from '../show-change.ts'
import { showFindings } from '../show-findings.ts'

function cidOf({ args }: Surroundings): string {
  const cid = args[1]
  if (cid === undefined) throw new CairnError('USAGE', { message: 'Which file? Give its CID' })
  return cid
}

async function show(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { output, session, signal } = surroundings
  const found = await getConditions(await session.anonymous(), cid, { signal })
  output.result(found, JSON.stringify(found, null, 2).split('\n'))
}

async function set(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { args, output, stdin, signal } = surroundings
  const conditions = await readConditionsFile(args[2] ?? '-', stdin)
  const change = await setConditions(await openKeyClient(surroundings), cid, conditions, { signal })
  showChange(output, { cid }, `Set the conditions of ${cid}.`, change)
}

async function remove(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { output, signal } = surroundings
  const change = await removeConditions(await openKeyClient(surroundings), cid, { signal })
  showChange(output, { cid }, `Removed the conditions of ${cid}.`, change)
}

async function check(surroundings: Surroundings): Promise<void> {
  const { args, values, output, stdin, signal } = surroundings
  const about = text(values, 'of')
  const input = await readConditionsFile(args[1] ?? '-', stdin)
  const verdict = await explainConditions(await openKeyClient(surroundings), input, {
    ...(about === undefined ? {} : { about }),
    signal,
  })
  output.result(
    { about, ...verdict },
    () => {
      const head = `${about ?? 'You'} would ${verdict.isAllowed ? 'meet' : 'not meet'} these conditions.`
      return [head, ...showFindings(verdict)]
    },
    String(verdict.isAllowed),
  )
}

async function template({ args, values, output }: Surroundings): Promise<void> {
  const name = args[1]
  const make = name === undefined ? undefined : conditionTemplates[name]
  if (make === undefined) {
    throw new CairnError('USAGE', {
      message: name === undefined ? 'Which template?' : `There is no template ${name}`,
      hint: `There are ${Object.keys(conditionTemplates).join(', ')}.`,
    })
  }
  const json = make({
    chain: text(values, 'chain'),
    contract: text(values, 'contract'),
    atLeast: text(values, 'at-least'),
    tokenId: text(values, 'token-id'),
  })
  output.result(json, JSON.stringify(json, null, 2).split('\n'))
}

const actions: Record<string, (surroundings: Surroundings) => Promise<void>> = { show, set, remove, template, check }

export const conditions: Command = {
  name: 'conditions',
  summary: 'Show, set or remove the conditions of a file; try them, print templates',
  usage: `<${Object.keys(actions).join('|')}> <cid|name|file> [file|-]`,
  arity: [1, 3],
  words: Object.keys(actions),
  options: {
    chain: { type: 'string', about: 'of a template: name of the chain', value: 'name' },
    contract: { type: 'string', about: 'of a template: address of the contract or mint', value: 'address' },
    'at-least': {
      type: 'string',
      about: 'of a template: least amount, in smallest units, or time or block',
      value: 'n',
    },
    'token-id': { type: 'string', about: 'of a template: id of the token', value: 'n' },
    of: { type: 'string', about: 'of a check: for this address', value: 'address' },
  },
  examples: [
    'cairn conditions template erc20 --chain Optimism --contract 0x… --at-least 1000 > rule.json',
    'cairn conditions check rule.json --of 0x7099…',
    'cairn conditions set bafy… rule.json',
    'cairn conditions show bafy…',
  ],
  run: (surroundings) => pickAction('conditions', actions, surroundings.args[0])(surroundings),
}
