import { formatBytes } from '@cairn/protocol'
import { getQuotaReport, verifyStorage } from '@cairn/sdk'
import * as v from 'valibot'
import { explainPrivate } from '../explain-private.ts'
import * as inputs from './inputs.ts'
import { defineTool, type Tool } from './tool.ts'

const quota = defineTool({
  name: 'get_quota',
  title: 'Show the storage of the account',
  description: 'Returns the storage limit of the account, and its used and available storage in bytes.',
  effect: 'reads',
  input: v.strictObject({}),
  async run(_input, { clients, signal }) {
    const { entries: _entries, ...report } = await getQuotaReport(await clients.account(), { signal })
    return {
      data: report,
      text: `${formatBytes(report.usedBytes)} of ${formatBytes(report.limitBytes)} used, ${formatBytes(report.availableBytes)} available.`,
    }
  },
})

const verify = defineTool({
  name: 'verify_storage',
  title: 'Verify where content is stored',
  description:
    'Checks on this machine that a CID is stored, and which storage providers prove that they have it. isProven false is a result, not an error: new content is proven later.',
  effect: 'reads',
  input: v.strictObject({
    cid: inputs.cid,
    full: v.optional(
      v.pipe(v.boolean(), v.description('Also downloads every byte from a provider. Defaults to false.')),
      false,
    ),
  }),
  async run({ cid, full }, { command, signal, onProgress }) {
    const client = await command.session.anonymous()
    const report = await explainPrivate(command, cid, () => verifyStorage(client, cid, { full, signal, onProgress }))
    const pieces = report.pieces.map(
      ({ piece, copies, inclusion }) => `Piece ${piece}: ${copies} copies, ${inclusion.message}`,
    )
    return {
      data: { ...report },
      text: [
        `${report.isProven ? 'Proven' : 'Not proven'}: ${cid}`,
        ...pieces,
        ...(report.waitingPacks > 0 ? [`${report.waitingPacks} packs are not in a piece yet.`] : []),
        `Not shown by this check: ${report.unproven.map(({ reason }) => reason).join('; ')}.`,
      ].join('\n'),
    }
  },
})

/** Tools for the account and its proofs. */
export const accountTools: readonly Tool[] = [quota, verify]
