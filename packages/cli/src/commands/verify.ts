import {
  CairnError,
  type Check,
  getCopies,
  getProofs,
  listChecks,
  type PieceReport,
  type PossessionCheck,
  type ProviderReport,
  type StorageReport,
  setCopies,
  verifyStorage,
  waitForProof,
} from '@cairn/sdk'
import { type Command, flag, text } from '../command.ts'
import { formatBytes } from '../sizes.ts'

/** Checks on this machine where content is stored. It fails when anything does not hold. */
export const verify: Command = {
  name: 'verify',
  summary: 'Check on this machine that a CID is stored, where and by whom',
  usage: '<cid>',
  arity: [1, 1],
  options: {
    full: { type: 'boolean', about: 'Also fetch every byte from a provider and look for all blocks' },
    offline: { type: 'boolean', about: 'Check recorded proofs alone, ask no provider' },
    wait: { type: 'boolean', about: 'Wait until a provider has proven it, as after an upload' },
    leaves: { type: 'string', value: 'n', about: 'Leaves to ask each provider for (8; 64 at most)' },
  },
  examples: ['cairn verify bafy…', 'cairn verify --wait bafy…', 'cairn verify --full bafy…'],
  async run({ args, values, session, output, signal }) {
    const leaves = readCount(text(values, 'leaves'), 'leaves', 64)
    const client = await session.anonymous()
    if (flag(values, 'wait')) await waitForProof(client, args[0] ?? '', { signal })
    const meter = flag(values, 'full') ? output.progress('Verifying') : undefined
    const report = await verifyStorage(client, args[0] ?? '', {
      signal,
      full: flag(values, 'full'),
      challenge: !flag(values, 'offline'),
      ...(leaves === undefined ? {} : { leaves }),
      ...(meter === undefined ? {} : { onProgress: meter.onProgress }),
    }).finally(() => meter?.done())
    output.result(report, () => describeReport(report), report.isProven ? 'proven' : 'not proven')
    if (!report.isProven) {
      throw new CairnError('PROOF_INVALID', { message: 'Not all of it was proven; the report says what' })
    }
  },
}

const marks: Record<Check['outcome'], string> = { proven: '✓', failed: '✗', skipped: '–' }

function describeReport(report: StorageReport): string[] {
  const lines = [`${report.isProven ? 'Proven' : 'NOT proven'}: ${report.cid}`]
  for (const piece of report.pieces) lines.push('', ...describePiece(piece))
  lines.push('', `${marks[report.content.outcome]} content    ${report.content.says}`)
  if (report.waitingPacks > 0) lines.push(`– waiting    ${report.waitingPacks} packs are in no piece yet`)
  if (report.furtherPieces > 0) lines.push(`– further    ${report.furtherPieces} pieces were not looked at`)
  lines.push('', 'Not proven by this, and by nothing of its kind:', ...report.unproven.map((one) => `  ${one}`))
  return lines
}

function describePiece(piece: PieceReport): string[] {
  return [
    `Piece      ${piece.piece} (${formatBytes(piece.payloadBytes)})`,
    `${marks[piece.block.outcome]} block      ${piece.block.says}`,
    `${marks[piece.inclusion.outcome]} aggregate  ${piece.inclusion.says}`,
    ...(piece.aggregate === null ? [] : [`           ${piece.aggregate}`]),
    ...piece.providers.flatMap(describeProvider),
    ...(piece.providers.length === 0 ? [] : [`  proven by ${piece.copies} different keys`]),
    ...(piece.aggregate !== null && piece.providers.length === 0 ? ['– provider   No provider holds it yet'] : []),
  ]
}

function describeProvider({ name, key, dealId, asked, recorded }: ProviderReport): string[] {
  const at = (time: number | undefined) => (time === undefined ? '' : `, ${new Date(time).toISOString()}`)
  return [
    `  ${name}, deal ${dealId}${key === null ? '' : `, key ${key}`}`,
    `  ${marks[asked.outcome]} now      ${asked.says}${at(asked.provenAt)}`,
    `  ${marks[recorded.outcome]} recorded ${recorded.says}${at(recorded.provenAt)}${
      recorded.nonceSource === undefined ? '' : ` (nonce: ${recorded.nonceSource})`
    }`,
  ]
}

/** The deals of a CID as the service states them. */
export const deals: Command = {
  name: 'deals',
  summary: 'Providers that keep a CID, and since when',
  usage: '<cid>',
  arity: [1, 1],
  examples: ['cairn deals bafy…'],
  async run({ args, session, output, signal }) {
    const { pieces } = await getProofs(await session.anonymous(), args[0] ?? '', { signal })
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
    if (rows.length === 0) output.note('No deal yet: the content waits to be put into an aggregate.')
  },
}

function formatTime(time: number | null): string {
  return time === null ? '–' : new Date(time).toISOString()
}

/** The history of challenges. */
export const checks: Command = {
  name: 'checks',
  summary: 'Challenges to the providers of a CID or piece, newest first',
  usage: '<cid|piece>',
  arity: [1, 1],
  options: { limit: { type: 'string', value: 'n', about: 'At most so many (20)' } },
  examples: ['cairn checks bafy…', 'cairn checks --limit 100 bafkzcib…'],
  async run({ args, values, session, output, signal }) {
    const limit = readCount(text(values, 'limit'), 'limit', 100_000) ?? 20
    const client = await session.anonymous()
    const given = args[0] ?? ''
    // Piece CIDs of version 2 all begin alike: raw, then the hash of a padded tree.
    const piece = given.startsWith('bafkzcib') ? given : (await getProofs(client, given, { signal })).pieces[0]?.piece
    const found: PossessionCheck[] = []
    for await (const check of listChecks(client, piece ?? given, { signal })) {
      if (found.push(check) >= limit) break
    }
    output.table(
      ['ASKED', 'DEAL', 'OUTCOME', 'LEAVES', 'REASON'],
      found.map((check) => [
        new Date(check.askedAt).toISOString(),
        String(check.dealId),
        check.outcome,
        String(check.leafCount),
        check.reason ?? '',
      ]),
      found,
    )
  },
}

/** The replication factor. */
export const copies: Command = {
  name: 'copies',
  summary: 'Show or set with how many providers your content is kept',
  usage: '[n]',
  arity: [0, 1],
  examples: ['cairn copies', 'cairn copies 3'],
  async run({ args, session, output, signal }) {
    const wanted = readCount(args[0], 'copies', 20)
    const client = await session.client()
    const found =
      wanted === undefined ? await getCopies(client, { signal }) : await setCopies(client, wanted, { signal })
    output.result(found, `${found.copies} copies (default ${found.usual}, maximum ${found.most})`, String(found.copies))
  },
}

function readCount(value: string | undefined, name: string, most: number): number | undefined {
  if (value === undefined) return undefined
  const count = Number(value)
  if (!Number.isInteger(count) || count < 1 || count > most) {
    throw new CairnError('INVALID_REQUEST', { message: `${name} is a whole number from 1 to ${most}` })
  }
  return count
}
