import { formatBytes } from '@cairn/protocol'
import {
  CairnError,
  type Check,
  type Client,
  getCopies,
  getProofs,
  listChecks,
  type PieceReport,
  type PossessionCheck,
  type ProviderReport,
  type StorageProofs,
  type StorageReport,
  setCopies,
  verifyStorage,
  waitForProof,
} from '@cairn/sdk'
import { readCount } from '../arguments/read-count.ts'
import { type Command, type CommandContext, flag, text } from '../command.ts'
import { explainPrivate } from '../explain-private.ts'
import { countOf } from '../text/count-of.ts'
import { formatTime } from '../text/times.ts'

/** Verifies on this machine where content is stored. Fails if any check fails. */
export const verify: Command = {
  name: 'verify',
  summary: 'Verify on this machine that a CID is stored, and which providers store it',
  usage: '<cid>',
  arity: [1, 1],
  options: {
    full: { type: 'boolean', about: 'also download every byte from a provider and check all blocks' },
    offline: { type: 'boolean', about: 'check only recorded proofs, without contacting providers' },
    wait: { type: 'boolean', about: 'wait until a provider has proven storage, for example after an upload' },
    leaves: { type: 'string', value: 'n', about: 'number of leaves to request from each provider, up to 64 (8)' },
  },
  examples: ['cairn verify bafy…', 'cairn verify --wait bafy…', 'cairn verify --full bafy…'],
  async run({ args, values, session, output, signal }) {
    if (flag(values, 'full') && flag(values, 'offline'))
      throw new CairnError('USAGE', { message: '--full and --offline cannot be combined' })
    const leaves = readCount(text(values, 'leaves'), '--leaves', 64)
    const client = await session.anonymous()
    const cid = args[0] ?? ''
    const report = await explainPrivate({ session, signal }, cid, async () => {
      if (flag(values, 'wait')) await waitForProviders(client, cid, { output, signal })
      const options = {
        signal,
        full: flag(values, 'full'),
        challenge: !flag(values, 'offline'),
        ...(leaves === undefined ? {} : { leaves }),
      }
      return options.full
        ? output.withProgress('Verifying', (progress) => verifyStorage(client, cid, { ...options, ...progress }))
        : verifyStorage(client, cid, options)
    })
    output.result(report, () => describeReport(report), report.isProven ? 'proven' : 'not proven')
    if (!report.isProven) {
      const reason = 'The content is not fully proven'
      throw new CairnError('PROOF_INVALID', { message: reason, details: { reason } })
    }
  },
}

/** Waits until a provider has proven every piece, and reports how many are proven. */
async function waitForProviders(
  client: Client,
  cid: string,
  { output, signal }: Pick<CommandContext, 'output' | 'signal'>,
): Promise<void> {
  let last = ''
  const onUpdate = (proofs: StorageProofs | undefined) => {
    const now = describeWait(proofs)
    if (now !== last) output.note(now)
    last = now
  }
  await waitForProof(client, cid, { signal, onUpdate })
}

function describeWait(proofs: StorageProofs | undefined): string {
  if (proofs === undefined) return 'Waiting for the content to join a piece. This can take an hour.'
  const proven = proofs.pieces.filter(({ aggregate }) => aggregate?.deals.some(({ state }) => state === 'proving'))
  return `${proven.length} of ${countOf(proofs.pieces.length, 'piece')} proven`
}

const marks: Record<Check['outcome'], string> = { proven: '✓', failed: '✗', skipped: '–' }

function describeReport(report: StorageReport): string[] {
  const lines = [`${report.isProven ? 'Proven' : 'NOT proven'}: ${report.cid}`]
  for (const piece of report.pieces) lines.push('', ...describePiece(piece))
  lines.push('', `${marks[report.content.outcome]} content    ${report.content.message}`)
  if (report.waitingPacks > 0) lines.push(`– waiting    ${report.waitingPacks} packs are not in a piece yet`)
  if (report.furtherPieces > 0) lines.push(`– further    ${report.furtherPieces} pieces were not checked`)
  lines.push('', 'A storage proof does not prove:', ...report.unproven.map(({ reason }) => `  ${reason}`))
  return lines
}

function describePiece(piece: PieceReport): string[] {
  return [
    `Piece      ${piece.piece} (${formatBytes(piece.payloadBytes)})`,
    `${marks[piece.block.outcome]} block      ${piece.block.message}`,
    `${marks[piece.inclusion.outcome]} aggregate  ${piece.inclusion.message}`,
    ...(piece.aggregate === null ? [] : [`           ${piece.aggregate}`]),
    ...piece.providers.flatMap(describeProvider),
    ...(piece.providers.length === 0
      ? []
      : [`  proven by ${piece.copies === 1 ? '1 key' : `${piece.copies} different keys`}`]),
    ...(piece.aggregate !== null && piece.providers.length === 0 ? ['– provider   No provider stores it yet'] : []),
  ]
}

function describeProvider({ name, key, dealId, challenged, recorded }: ProviderReport): string[] {
  const at = (time: number | undefined) => (time === undefined ? '' : `, ${formatTime(time)}`)
  return [
    `  ${name}, deal ${dealId}${key === null ? '' : `, key ${key}`}`,
    `  ${marks[challenged.outcome]} now      ${challenged.message}${at(challenged.provenAt)}`,
    `  ${marks[recorded.outcome]} recorded ${recorded.message}${at(recorded.provenAt)}${
      recorded.nonceSource === undefined ? '' : ` (nonce: ${recorded.nonceSource})`
    }`,
  ]
}

/** Shows the deals of a CID as the service reports them. */
export const deals: Command = {
  name: 'deals',
  summary: 'List the providers that store a CID',
  usage: '<cid>',
  arity: [1, 1],
  examples: ['cairn deals bafy…'],
  async run({ args, session, output, signal }) {
    const [cid = ''] = args
    const client = await session.anonymous()
    const { pieces } = await explainPrivate({ session, signal }, cid, () => getProofs(client, cid, { signal }))
    const rows = pieces.flatMap(({ piece, aggregate }) =>
      (aggregate?.deals ?? []).map((deal) => ({ piece, aggregate: aggregate?.piece, ...deal })),
    )
    output.table(
      ['DEAL', 'PROVIDER', 'STATE', 'PROOFS', 'LAST PROVEN', 'SILENT SINCE', 'AGGREGATE'],
      rows.map((row) => [
        String(row.id),
        row.provider.name,
        row.state,
        String(row.proofs),
        formatTime(row.provenAt),
        formatTime(row.silentSince),
        row.aggregate ?? '–',
      ]),
      rows,
    )
    if (rows.length === 0) output.note('No deal yet. The content is waiting for an aggregate.')
  },
}

/** Shows the history of challenges. */
export const checks: Command = {
  name: 'checks',
  summary: 'List challenges to the providers of a CID or piece, newest first',
  usage: '<cid|piece>',
  arity: [1, 1],
  options: { limit: { type: 'string', value: 'n', about: 'maximum number of rows (20)' } },
  examples: ['cairn checks bafy…', 'cairn checks --limit 100 bafkzcib…'],
  async run({ args, values, session, output, signal }) {
    const limit = readCount(text(values, 'limit'), '--limit', 100_000) ?? 20
    const client = await session.anonymous()
    const given = args[0] ?? ''
    // Piece CIDs of version 2 share a prefix: raw, then the hash of a padded tree.
    const piece = given.startsWith('bafkzcib')
      ? given
      : (await explainPrivate({ session, signal }, given, () => getProofs(client, given, { signal }))).pieces[0]?.piece
    const found: PossessionCheck[] = []
    for await (const check of listChecks(client, piece ?? given, { signal })) {
      if (found.push(check) >= limit) break
    }
    output.table(
      ['ASKED', 'DEAL', 'OUTCOME', 'LEAVES', 'REASON'],
      found.map((check) => [
        formatTime(check.askedAt),
        String(check.dealId),
        check.outcome,
        String(check.leafCount),
        check.reason ?? '',
      ]),
      found,
    )
    if (found.length === 0) output.note('No challenge yet.')
  },
}

/** Shows or sets the replication factor. */
export const copies: Command = {
  name: 'copies',
  summary: 'Show or set the number of copies of your content',
  usage: '[n]',
  arity: [0, 1],
  examples: ['cairn copies', 'cairn copies 3'],
  async run({ args, session, output, signal }) {
    const wanted = readCount(args[0], 'The number of copies', 20)
    const client = await session.client()
    const found =
      wanted === undefined ? await getCopies(client, { signal }) : await setCopies(client, wanted, { signal })
    output.result(
      found,
      `${found.copies} copies (default ${found.defaultCopies}, maximum ${found.maxCopies})`,
      String(found.copies),
    )
  },
}
