import { CairnError, explainAccess, getKeyStatus, transferFile } from '@cairn/sdk'
import { type Command, flag, type Surroundings, text } from '../command.ts'
import { openKeyClient } from '../key-client.ts'
import { dots, showChange } from '../show-change.ts'
import { showFindings } from '../show-findings.ts'

async function explain(surroundings: Surroundings, cid: string): Promise<void> {
  const { values, output, signal } = surroundings
  const about = text(values, 'of')
  const verdict = await explainAccess(await openKeyClient(surroundings), cid, {
    ...(about === undefined ? {} : { about }),
    signal,
  })
  output.result(
    { cid, about, ...verdict },
    () => {
      const head = `${about ?? 'You'} may ${verdict.isAllowed ? `decrypt it: ${verdict.by}` : 'not decrypt it'}.`
      return [head, ...showFindings(verdict)]
    },
    verdict.isAllowed ? verdict.by : 'none',
  )
}

export const access: Command = {
  name: 'access',
  summary: 'Who may decrypt a file, and why',
  usage: '<cid>',
  arity: [1, 1],
  options: {
    explain: { type: 'boolean', about: 'which condition holds and which does not' },
    of: { type: 'string', about: 'about this address (owner only)', value: 'address' },
  },
  examples: ['cairn access bafy…', 'cairn access bafy… --explain --of 0x7099…'],
  async run(surroundings) {
    const { args, values, output, signal } = surroundings
    const cid = args[0] ?? ''
    if (flag(values, 'explain') || text(values, 'of') !== undefined) return explain(surroundings, cid)
    const report = await getKeyStatus(await openKeyClient(surroundings), cid, { signal })
    const { agreed } = report
    if (agreed === undefined)
      throw new CairnError('CHANGE_INCOMPLETE', {
        message: 'The key nodes do not agree on who may decrypt it',
        hint: `Run: cairn keys repair ${cid}`,
      })
    const nodes = report.nodes.flatMap(({ node, isAgreed }) => (isAgreed ? [node] : []))
    const [first = 'nobody', ...others] = agreed.sharedTo
    output.result(
      { ...agreed, health: report.health, nodes },
      () => [
        `Owner       ${agreed.owner}`,
        `Shared with ${first}`,
        ...others.map((address) => `            ${address}`),
        `Conditions  ${agreed.hasConditions ? 'yes: cairn conditions show' : 'none'}`,
        `State       ${agreed.state}${agreed.successor === null ? '' : `, now ${agreed.successor}`}`,
        `Key nodes   ${dots(nodes)} ${report.health}`,
      ],
      agreed.owner,
    )
  },
}

export const transfer: Command = {
  name: 'transfer',
  summary: 'Give a file to another owner',
  usage: '<cid> <address>',
  arity: [2, 2],
  options: {
    'keep-shares': { type: 'boolean', about: 'those it is shared with keep their right' },
    yes: { type: 'boolean', short: 'y', about: 'do not ask' },
  },
  examples: ['cairn transfer bafy… 0x7099… --yes'],
  async run(surroundings) {
    const { args, values, output, prompt, signal } = surroundings
    const [cid = '', newOwner = ''] = args
    if (!flag(values, 'yes') && !(await prompt.confirm(`Give ${cid} to ${newOwner}? You cannot take it back.`)))
      throw new CairnError('ABORTED', { message: 'Nothing was changed' })
    const client = await openKeyClient(surroundings)
    const resetSharedTo = !flag(values, 'keep-shares')
    const change = await transferFile(client, cid, newOwner, { resetSharedTo, signal })
    showChange(output, { cid, owner: newOwner, resetSharedTo }, `${cid} belongs to ${newOwner}.`, change)
    output.note(
      resetSharedTo
        ? 'It is shared with nobody any more. Conditions stay.'
        : 'Those it is shared with keep their right. Conditions stay.',
    )
  },
}
