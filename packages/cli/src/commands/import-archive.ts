import { formatBytes } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { importAccount, openExport } from '../archive/import-account.ts'
import { createSeal } from '../archive/seal.ts'
import { openSealingKey } from '../archive/sealing-wallet.ts'
import { readAnnounce } from '../arguments/announce-option.ts'
import type { CommandContext } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { openNameKeys } from '../names/name-keys.ts'
import { reportBytes } from '../terminal/output.ts'
import { countOf } from '../text/count-of.ts'
import { describeDisplaced } from '../uploads/upload-order.ts'

/** Imports the folder of `cairn export`. */
export async function importArchive(context: CommandContext, folder: string): Promise<void> {
  const { session, output, state, values, signal } = context
  const announce = readAnnounce(values) ?? false
  const manifest = await openExport(folder)
  const hasKeys = manifest.lists.some(({ name, rows }) => name === 'keys' && rows > 0)
  const client = hasKeys ? await openKeyClient(context, { withApiKey: true }) : await session.client()
  const privateKey = hasKeys ? await openSealingKey(context, client) : undefined
  const nameKeys = openNameKeys(state.folder)
  const report = await output.withProgress(folder, (progress) =>
    importAccount(client, folder, manifest, {
      createSeal:
        privateKey === undefined ? undefined : ({ account, seal }) => createSeal(privateKey, account, seal.salt),
      storeNameKey: async (key, label) => {
        if ((await nameKeys.read(key.name)) !== undefined) return false
        await nameKeys.add(key, { label, password: undefined })
        return true
      },
      announce,
      signal,
      onStep: output.note,
      onBytes: reportBytes(progress, 'send', manifest.counts.bytes),
    }),
  )
  const { uploaded, present, bytes, fileKeys, names, driveValues, missing, displaced } = report
  output.result({ folder, ...report }, [
    `${countOf(uploaded, 'file')}  ${formatBytes(bytes)}  ${present} already present  ${countOf(fileKeys, 'file key')}  ${countOf(names, 'name')}`,
    ...(report.nameKeys === 0 ? [] : [`${countOf(report.nameKeys, 'name key')}, stored in ${state.folder}/names`]),
    ...(driveValues === 0 ? [] : [`${driveValues} changes to the drive`]),
    ...missing.map(({ kind, id, message }) => `missing: ${kind} ${id}: ${message}`),
    ...displaced.map(describeDisplaced),
  ])
  if (missing.length > 0) throw new CairnError('IMPORT_INCOMPLETE', { details: { missing: missing.length } })
}
