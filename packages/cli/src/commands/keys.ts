import {
  CairnError,
  closeKeySession,
  exportKey,
  getKeyStatus,
  type KeyEvent,
  type KeyFile,
  listKeyEvents,
  listKeyFiles,
  repairKey,
  rotateFile,
  watchKeyEvents,
} from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { cidOf } from '../arguments/cid-of.ts'
import { readCount } from '../arguments/read-count.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { isSession, openKeyClient } from '../keys/key-client.ts'
import { findDriveKey } from '../keys/own-drive.ts'
import { readKeySet } from '../keys/read-key-set.ts'
import { dots, showPending } from '../keys/show-change.ts'
import { showHalfDone, showOutcome } from '../keys/show-half-done.ts'
import { writeKeySet } from '../keys/write-key-set.ts'
import { formatTime } from '../text/times.ts'

async function list(context: CommandContext): Promise<void> {
  const { values, output, signal } = context
  const role = flag(values, 'shared') ? 'recipient' : 'owner'
  const client = await openKeyClient(context)
  const files: KeyFile[] = []
  for await (const file of listKeyFiles(client, role, { signal })) files.push(file)
  const driveKey = role === 'owner' && files.length > 0 ? await findDriveKey(context, client) : undefined
  const isDrive = ({ cid }: KeyFile) => cid === driveKey
  output.table(
    ['CID', role === 'owner' ? 'SHARED WITH' : 'OWNER', 'CONDITIONS', 'STATE', 'CHANGED'],
    files.map((file) => [
      file.cid,
      role === 'owner' ? String(file.sharedTo.length) : file.owner,
      file.hasConditions ? 'yes' : 'no',
      file.state,
      formatTime(file.updatedAt),
    ]),
    files.map((file) => (isDrive(file) ? { ...file, isDrive: true } : file)),
  )
  if (files.some(isDrive)) output.note(`${driveKey} is the key of your drive and has no content.`)
  if (files.length === 0) output.note(role === 'owner' ? 'No encrypted files yet.' : 'No files are shared with you.')
}

const eventWords: Record<KeyEvent['kind'], string> = {
  opened: 'opened',
  denied: 'refused',
  save: 'key saved',
  share: 'shared',
  revoke: 'revoked',
  transfer: 'transferred',
  conditions: 'conditions set',
  retire: 'key retired',
  repair: 'repaired',
}

function eventCells({ at, kind, count, address, addresses, cid, nodes }: KeyEvent): string[] {
  return [
    formatTime(at),
    count > 1 ? `${eventWords[kind]} ${count}×` : eventWords[kind],
    addresses.length === 0 ? address : addresses.length === 1 ? String(addresses[0]) : `${addresses.length} addresses`,
    cid,
    dots(nodes),
  ]
}

async function log(context: CommandContext): Promise<void> {
  const { args, values, output, signal } = context
  const limit = readCount(text(values, 'limit'), '--limit', 100_000) ?? 50
  const cid = args[1]
  const options = { signal, ...(cid === undefined ? {} : { cid }) }
  const client = await openKeyClient(context)
  if (flag(values, 'follow')) {
    const onFailure = (error: CairnError) => output.note(`${error.message}. Trying again.`)
    for await (const event of watchKeyEvents(client, { ...options, onFailure }))
      output.result(event, eventCells(event).join('  '), event.cid)
    return
  }
  const events: KeyEvent[] = []
  for await (const event of listKeyEvents(client, options)) {
    events.push(event)
    if (events.length >= limit) break
  }
  output.table(['TIME', 'WHAT', 'ADDRESS', 'CID', 'NODES'], events.map(eventCells), events)
  if (events.length === 0)
    output.note(cid === undefined ? 'No entries yet.' : 'No entries. Only the owner of an encrypted file has its log.')
  if (events.some(({ isConfirmed }) => !isConfirmed))
    output.note(
      'Events that fewer than three nodes report are unconfirmed: opening a file takes shards from three nodes.',
    )
}

async function status(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { output, signal } = context
  const report = await getKeyStatus(await openKeyClient(context), cid, { signal })
  const rows = report.nodes.map(({ node, status: held, error, isAgreed }) => [
    `${isAgreed ? '●' : '○'} ${node}`,
    held?.state ?? error?.code ?? '',
    held === undefined ? '–' : String(held.version),
    held?.owner ?? '–',
    held === undefined ? '–' : String(held.sharedTo.length),
    held === undefined ? (error?.message ?? '') : `${held.lastChange.kind} ${formatTime(held.lastChange.at)}`,
  ])
  if (output.isJson) {
    const nodes = report.nodes.map(({ error, ...node }) => ({
      ...node,
      ...(error === undefined ? {} : { code: error.code }),
    }))
    output.result({ ...report, nodes }, '')
    return
  }
  output.table(['NODE', 'STATE', 'VERSION', 'OWNER', 'SHARED', 'LAST CHANGE'], rows, [])
  for (const change of report.halfDone) output.note(showHalfDone(change))
  output.note(
    report.health === 'whole'
      ? 'All five nodes agree.'
      : `The nodes differ (${report.health}). Run: cairn keys repair ${cid}`,
  )
  if (report.health === 'whole' && report.hasSpare === false) {
    output.note(`Without spare shards, operators cannot replace a key node without you. Run: cairn keys repair ${cid}`)
  }
}

async function repair(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { output, signal } = context
  const first = await repairKey(await openKeyClient(context), cid, { signal })
  // A session lacks the nodes that were unavailable when it was opened, and those that lost theirs, such as a restored one.
  const lacksNode = first.nodes.some(({ error }) => error?.code === 'NO_SESSION' || error?.code === 'SESSION_EXPIRED')
  const again = lacksNode
    ? await repairKey(await openKeyClient(context, { signAgain: true }), cid, { signal })
    : undefined
  const { before } = first
  const { nodes, after } = again ?? first
  const changes = [...first.changes, ...(again?.changes ?? [])]
  const json = nodes.map(({ node, outcome, error }) => ({
    node,
    outcome,
    ...(error === undefined ? {} : { code: error.code }),
  }))
  const { agreed } = after
  const state = agreed && { owner: agreed.owner, sharedTo: agreed.sharedTo, state: agreed.state }
  output.result(
    { cid, before: before.health, after: after.health, ...state, changes, nodes: json },
    () => [
      ...nodes.map(({ node, outcome, error }) =>
        error === undefined ? `node ${node}  ${outcome}` : `node ${node}  ${outcome}: ${error.message} [${error.code}]`,
      ),
      ...changes.map(showOutcome),
      `${before.health} → ${after.health}`,
    ],
    after.health,
  )
  if (agreed !== undefined)
    output.note(
      `Owner ${agreed.owner}; ${agreed.sharedTo.length === 0 ? 'not shared' : `shared with ${agreed.sharedTo.join(', ')}`}; ${agreed.hasConditions ? 'with' : 'without'} conditions${agreed.state === 'retired' ? '; the key is retired' : ''}.`,
    )
  for (const { node, outcome } of nodes)
    if (outcome === 'recent')
      output.note(`Node ${node} has a change that may still be in progress. Run the repair again in a minute.`)
}

async function exportSet(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { values, output, signal } = context
  const target = text(values, 'output') ?? `${cid}.key.json`
  const exported = await exportKey(await openKeyClient(context), cid, { signal })
  await writeKeySet(target, exported)
  output.result(
    { cid, path: target, shards: exported.shards.length },
    `${target}  ${dots(exported.shards.map(({ node }) => node))}`,
    target,
  )
  output.note('Anyone with this file can decrypt the encrypted file. Store it like a password.')
}

async function recover({ args, output }: CommandContext): Promise<void> {
  const path = args[1]
  if (path === undefined) throw new CairnError('USAGE', { message: 'The file of an exported key set is required' })
  const { cid, masterKey } = await readKeySet(path)
  output.result({ cid, masterKey }, masterKey)
  output.note(`Recovered the key of ${cid}. To decrypt without the key nodes: cairn get ${cid} --key-file ${path}`)
}

async function rotate(context: CommandContext): Promise<void> {
  const cid = cidOf(context)
  const { output, signal } = context
  const client = await openKeyClient(context, { withApiKey: true })
  const {
    cid: successor,
    uploaded,
    retired,
  } = await output.withProgress(cid, (progress) => rotateFile(client, cid, { signal, ...progress }))
  const { done, isEffective, withstands } = retired
  const pending = retired.pending.map(({ node, error }) => ({ node, code: error.code }))
  output.result(
    { before: cid, cid: successor, isNew: uploaded !== undefined, retired: done, pending, isEffective, withstands },
    [
      successor,
      `Retired the key of ${cid}${uploaded === undefined ? ', which was already rotated' : ''}. ${dots(done)}`,
    ],
    successor,
  )
  if (pending.length > 0) output.note(showPending(pending, withstands))
  output.note('The old encrypted file is still stored. Delete it with `cairn rm`.')
}

async function signOut(context: CommandContext): Promise<void> {
  const { state, output, session, signal } = context
  const network = await session.network()
  const name = network.keyRouter ?? network.api
  const kept = await state.readSession(name)
  if (isSession(kept)) {
    const { open } = await closeKeySession(await session.anonymous(), kept, { signal })
    await state.writeSession(name, open.length === 0 ? undefined : kept)
    if (open.length > 0) {
      throw new CairnError('KEY_NODES_UNAVAILABLE', {
        message: `The session is still open at key ${open.length === 1 ? 'node' : 'nodes'} ${open.map(({ node }) => node).join(', ')}`,
        hint: 'The session tokens are kept for this purpose. Sign out again when the nodes are available.',
        details: { open: open.map(({ node, error }) => ({ node, code: error.code })) },
        cause: open[0]?.error,
      })
    }
  }
  output.result({ signedOut: true }, 'Closed the session with the key nodes.')
}

const actions: Actions = {
  list,
  log,
  status,
  repair,
  export: exportSet,
  recover,
  rotate,
  'sign-out': signOut,
}

export const keys = actionCommand(actions, {
  name: 'keys',
  summary: 'List encrypted files and manage their keys: log, status, repair, export, recover, rotate',
  usage: '[cid|file]',
  arity: [1, 2],
  maxArguments: { list: 1, 'sign-out': 1 },
  endsWithOutput: ['list', 'log', 'status'],
  options: {
    follow: { type: 'boolean', actions: ['log'], short: 'f', about: 'log: print events as they happen' },
    limit: { type: 'string', actions: ['log'], about: 'log: number of events, newest first (50)', value: 'n' },
    shared: { type: 'boolean', actions: ['list'], about: 'list: files shared with you' },
    output: { type: 'string', actions: ['export'], short: 'o', about: 'export: target path', value: 'file' },
  },
  examples: [
    'cairn keys list',
    'cairn keys log',
    'cairn keys status bafy…',
    'cairn keys export bafy… -o diary.key.json',
  ],
})
