import { open, readFile } from 'node:fs/promises'
import {
  CairnError,
  closeKeySession,
  exportKey,
  getKeyStatus,
  type KeyFile,
  listKeyFiles,
  recoverExported,
  repairKey,
  rotateFile,
} from '@cairn/sdk'
import { type Command, flag, pickAction, type Surroundings, text } from '../command.ts'
import { isSession, openKeyClient } from '../key-client.ts'
import { sayHalfDone, sayOutcome } from '../say-half-done.ts'
import { dots, sayPending } from '../show-change.ts'

function cidOf({ args }: Surroundings): string {
  const cid = args[1]
  if (cid === undefined) throw new CairnError('USAGE', { message: 'Which file? Give its CID' })
  return cid
}

async function list(surroundings: Surroundings): Promise<void> {
  const { values, output, signal } = surroundings
  const role = flag(values, 'shared') ? 'recipient' : 'owner'
  const files: KeyFile[] = []
  for await (const file of listKeyFiles(await openKeyClient(surroundings), role, { signal })) files.push(file)
  output.table(
    ['CID', role === 'owner' ? 'SHARED WITH' : 'OWNER', 'CONDITIONS', 'STATE', 'CHANGED'],
    files.map((file) => [
      file.cid,
      role === 'owner' ? String(file.sharedTo.length) : file.owner,
      file.hasConditions ? 'yes' : 'no',
      file.state,
      new Date(file.updatedAt).toISOString().slice(0, 16).replace('T', ' '),
    ]),
    files,
  )
}

async function status(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { output, signal } = surroundings
  const report = await getKeyStatus(await openKeyClient(surroundings), cid, { signal })
  const rows = report.nodes.map(({ node, status: held, error, isAgreed }) => [
    `${isAgreed ? '●' : '○'} ${node}`,
    held?.state ?? error?.code ?? '',
    held === undefined ? '–' : String(held.version),
    held?.owner ?? '–',
    held === undefined ? '–' : String(held.sharedTo.length),
    held === undefined
      ? (error?.message ?? '')
      : `${held.lastChange.kind} ${new Date(held.lastChange.at).toISOString()}`,
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
  for (const change of report.halfDone) output.note(sayHalfDone(change))
  output.note(
    report.health === 'whole' ? 'All five nodes agree.' : `They differ (${report.health}): cairn keys repair ${cid}`,
  )
}

async function repair(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { output, signal } = surroundings
  const { nodes, before, after, changes } = await repairKey(await openKeyClient(surroundings), cid, { signal })
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
      ...nodes.map(({ node, outcome }) => `node ${node}  ${outcome}`),
      ...changes.map(sayOutcome),
      `${before.health} → ${after.health}`,
    ],
    after.health,
  )
  if (agreed !== undefined)
    output.note(
      `Owner ${agreed.owner}; shared with ${agreed.sharedTo.length === 0 ? 'nobody' : agreed.sharedTo.join(', ')}; ${agreed.hasConditions ? 'with' : 'without'} conditions${agreed.state === 'retired' ? '; the key is retired' : ''}.`,
    )
  for (const { node, outcome } of nodes)
    if (outcome === 'recent')
      output.note(`Node ${node} has a change that may still be on its way: repair again in a minute.`)
}

async function exportSet(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { values, output, signal } = surroundings
  const target = text(values, 'output') ?? `${cid}.key.json`
  const exported = await exportKey(await openKeyClient(surroundings), cid, { signal })
  const file = await open(target, 'wx', 0o600).catch((cause: unknown) => {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (exists) throw new CairnError('FILE_EXISTS', { message: `${target} exists already`, cause })
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot write ${target}`, cause })
  })
  try {
    await file.writeFile(`${JSON.stringify(exported, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  output.result(
    { cid, path: target, shards: exported.shards.length },
    `${target}  ${dots(exported.shards.map(({ node }) => node))}`,
    target,
  )
  output.note('Whoever has this file can decrypt the other: keep it where secrets are kept.')
}

async function recover({ args, output }: Surroundings): Promise<void> {
  const path = args[1]
  if (path === undefined) throw new CairnError('USAGE', { message: 'Which exported key set? Give its file' })
  let json: unknown
  try {
    json = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  }
  const { cid, masterKey } = recoverExported(json)
  output.result({ cid, masterKey }, masterKey)
  output.note(`The key of ${cid}. To decrypt it without any key node: cairn get ${cid} --key-file ${path}`)
}

async function rotate(surroundings: Surroundings): Promise<void> {
  const cid = cidOf(surroundings)
  const { output, signal } = surroundings
  const client = await openKeyClient(surroundings, { withApiKey: true })
  const { cid: successor, uploaded, retired } = await rotateFile(client, cid, { signal })
  const { done, isEffective, withstands } = retired
  const pending = retired.pending.map(({ node, error }) => ({ node, code: error.code }))
  output.result(
    { before: cid, cid: successor, isNew: uploaded !== undefined, retired: done, pending, isEffective, withstands },
    [
      successor,
      `The key of ${cid} is retired${uploaded === undefined ? ': it was rotated before' : ''}. ${dots(done)}`,
    ],
    successor,
  )
  if (pending.length > 0) output.note(sayPending(pending, withstands))
  output.note('The old encrypted bytes are still stored; remove them with `cairn rm`.')
}

async function signOut(surroundings: Surroundings): Promise<void> {
  const { state, output, session, signal } = surroundings
  const network = await session.network()
  const name = network.keyRouter ?? network.api
  const kept = await state.readSession(name)
  if (isSession(kept)) {
    const { open } = await closeKeySession(await session.anonymous(), kept, { signal })
    await state.writeSession(name, open.length === 0 ? undefined : kept)
    if (open.length > 0) {
      throw new CairnError('KEY_NODES_UNAVAILABLE', {
        message: `The session is still open at key ${open.length === 1 ? 'node' : 'nodes'} ${open.map(({ node }) => node).join(', ')}`,
        hint: 'Its tokens are kept for that alone: sign out again once the nodes are back.',
        details: { open: open.map(({ node, error }) => ({ node, code: error.code })) },
        cause: open[0]?.error,
      })
    }
  }
  output.result({ signedOut: true }, 'The session with the key nodes has ended.')
}

const actions: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  list,
  status,
  repair,
  export: exportSet,
  recover,
  rotate,
  'sign-out': signOut,
}

export const keys: Command = {
  name: 'keys',
  summary: 'List encrypted files; see, mend, export, recover or rotate their keys',
  usage: `<${Object.keys(actions).join('|')}> [cid|file]`,
  arity: [1, 2],
  words: Object.keys(actions),
  options: {
    shared: { type: 'boolean', about: 'list: files shared with you' },
    output: { type: 'string', short: 'o', about: 'export: where to', value: 'file' },
  },
  examples: ['cairn keys list', 'cairn keys status bafy…', 'cairn keys export bafy… -o diary.key.json'],
  run: (surroundings) => pickAction('keys', actions, surroundings.args[0])(surroundings),
}
