import { formatBytes } from '@cairn/protocol'
import { CairnError, exportName, exportNameKey, listFiles } from '@cairn/sdk'
import { exportAccount } from '../archive/export-account.ts'
import { createSeal } from '../archive/seal.ts'
import { openSealingKey } from '../archive/sealing-wallet.ts'
import { type Command, type CommandContext, flag } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { openKept, openNameKeys } from '../names/name-keys.ts'
import { reportBytes } from '../terminal/output.ts'
import { countOf } from '../text/count-of.ts'

export const exportCommand: Command = {
  name: 'export',
  summary: 'Export your account to a folder: content, names, access rights, sealed keys, drive, payments and proofs',
  usage: '--all <folder>',
  arity: [1, 1],
  options: {
    all: { type: 'boolean', about: 'export everything in the account (required)' },
    'name-keys': { type: 'boolean', about: 'include your name keys, sealed to your wallet' },
    'no-keys': { type: 'boolean', about: 'omit file keys, access rights and the drive, which require a wallet' },
  },
  examples: ['cairn export --all backup', 'jq -r .name backup/files.jsonl'],
  async run(context) {
    const { args, values, session, output, signal } = context
    if (!flag(values, 'all')) {
      throw new CairnError('USAGE', {
        message: 'cairn export requires --all',
        hint: 'Run cairn export --all <folder>. For one file, use cairn get.',
      })
    }
    const withNameKeys = flag(values, 'name-keys')
    if (withNameKeys && flag(values, 'no-keys'))
      throw new CairnError('USAGE', { message: '--name-keys and --no-keys cannot be combined' })
    const plain = await session.client()
    const withKeys = !flag(values, 'no-keys') && plain.network.keyNodes !== undefined
    if (withNameKeys && !withKeys)
      throw new CairnError('NO_KEY_NODES', {
        message: 'This network has no key nodes, so an export from it contains no keys',
        hint: 'Omit --name-keys, and export each key: cairn name export <name> -o <file>.',
      })
    const client = withKeys ? await openKeyClient(context, { withApiKey: true }) : plain
    const privateKey = withKeys ? await openSealingKey(context, client) : undefined
    const account = client.keySession?.address ?? (await findAccount(context))
    const folder = args[0] ?? ''
    const manifest = await output.withProgress(folder, (progress) =>
      exportAccount(client, folder, {
        account,
        createSeal: privateKey === undefined ? undefined : (salt) => createSeal(privateKey, account, salt),
        nameKeys: withNameKeys
          ? {
              find: (name, held) => findNameKey(context, name, held),
              listOwn: () => openNameKeys(context.state.folder).list(),
            }
          : undefined,
        signal,
        onStep: output.note,
        onBytes: reportBytes(progress, 'receive'),
      }),
    )
    const { counts, missing, lists } = manifest
    output.result({ folder, ...counts, lists, missing }, [
      `${folder}  ${countOf(counts.files, 'file')}  ${formatBytes(counts.bytes)}`,
      ...missing.map(({ kind, id, message }) => `missing: ${kind} ${id}: ${message}`),
    ])
    if (missing.length > 0) {
      throw new CairnError('EXPORT_INCOMPLETE', {
        details: { missing: missing.length, manifest: `${folder}/manifest.json` },
      })
    }
  },
}

/** Returns the account of an API key, without opening the wallet. */
async function findAccount({ session, signal }: CommandContext): Promise<string> {
  for await (const { publicKey } of listFiles(await session.client(), { limit: 1 }, { signal })) return publicKey
  throw new CairnError('NOT_FOUND', { message: 'The account has no files' })
}

/** Returns the key of a name, from the service or from this machine. */
async function findNameKey(
  { session, state, prompt, signal }: CommandContext,
  name: string,
  keyHeld: 'service' | 'owner',
): Promise<string | undefined> {
  if (keyHeld === 'service') return (await exportName(await session.client(), name, { format: 'pem', signal })).key
  const kept = await openNameKeys(state.folder).read(name)
  return kept === undefined ? undefined : exportNameKey(await openKept(kept, prompt), 'pem')
}
