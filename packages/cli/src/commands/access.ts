import { CairnError, explainAccess, getKeyStatus, transferFile } from '@cairn/sdk'
import { readAddress } from '../arguments/read-addresses.ts'
import { type Command, type CommandContext, flag, text } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { dots, showChange } from '../keys/show-change.ts'
import { showFindings } from '../keys/show-findings.ts'

async function explain(context: CommandContext, cid: string): Promise<void> {
  const { values, output, signal } = context
  const given = text(values, 'of')
  const about = given === undefined ? undefined : readAddress(given)
  const verdict = await explainAccess(await openKeyClient(context), cid, {
    ...(about === undefined ? {} : { about }),
    signal,
  })
  output.result(
    { cid, about, ...verdict },
    () => {
      const head = `${about ?? 'You'} ${verdict.isAllowed ? `can decrypt the file: ${verdict.by}` : 'cannot decrypt the file'}.`
      return [head, ...showFindings(verdict)]
    },
    verdict.isAllowed ? verdict.by : 'none',
  )
}

export const access: Command = {
  name: 'access',
  summary: 'Show which addresses can decrypt a file, and why',
  usage: '<cid>',
  arity: [1, 1],
  options: {
    explain: { type: 'boolean', about: 'show which conditions are met' },
    of: { type: 'string', about: 'check this address (owner only)', value: 'address' },
  },
  examples: ['cairn access bafy…', 'cairn access bafy… --explain --of 0x7099…'],
  async run(context) {
    const { args, values, output, signal } = context
    const cid = args[0] ?? ''
    if (flag(values, 'explain') || text(values, 'of') !== undefined) return explain(context, cid)
    const report = await getKeyStatus(await openKeyClient(context), cid, { signal })
    const { agreed } = report
    if (agreed === undefined)
      throw new CairnError('CHANGE_INCOMPLETE', {
        message: 'The key nodes disagree on the access rights of the file',
        hint: `Run: cairn keys repair ${cid}`,
      })
    const nodes = report.nodes.flatMap(({ node, isAgreed }) => (isAgreed ? [node] : []))
    const [first = 'no one', ...others] = agreed.sharedTo
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
  summary: 'Transfer a file to another owner',
  usage: '<cid> <address>',
  arity: [2, 2],
  options: {
    'keep-shares': { type: 'boolean', about: 'keep the addresses it is shared with' },
    yes: { type: 'boolean', short: 'y', about: 'skip the confirmation' },
  },
  examples: ['cairn transfer bafy… 0x7099… --yes'],
  async run(context) {
    const { args, values, output, prompt, signal } = context
    const [cid = '', given = ''] = args
    const newOwner = readAddress(given)
    if (!flag(values, 'yes') && !(await prompt.confirm(`Transfer ${cid} to ${newOwner}? This cannot be undone.`)))
      throw new CairnError('ABORTED', { message: 'Nothing was changed' })
    const client = await openKeyClient(context)
    const resetSharedTo = !flag(values, 'keep-shares')
    const change = await transferFile(client, cid, newOwner, { resetSharedTo, signal })
    showChange(output, { cid, owner: newOwner, resetSharedTo }, `Transferred ${cid} to ${newOwner}.`, change)
    output.note(
      resetSharedTo
        ? 'The file is no longer shared with any address. Its conditions are unchanged.'
        : 'The file stays shared with the same addresses. Its conditions are unchanged.',
    )
    output.note(`Its content stays in your account. To keep a copy, the new owner can run: cairn pin ${cid}`)
  },
}
