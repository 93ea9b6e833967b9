import { CairnError, exportName, exportNameKey, importNameKey, type NameKey } from '@cairn/sdk'
import { type CommandContext, flag, text } from '../command.ts'
import { writePrivateFile } from '../state/write-private-file.ts'
import { findName, requireFreeLabel } from './find-name.ts'
import { argument, quote, readLabel } from './name-arguments.ts'
import { readKeyFile } from './name-files.ts'
import { openKept, openNameKeys } from './name-keys.ts'

/**
 * Stores a name key on this machine.
 * @throws CairnError FILE_EXISTS if the key or the label exists
 */
export async function keepKey(context: CommandContext, source: NameKey, label: string | undefined): Promise<void> {
  const { state, prompt, output, values } = context
  const keys = openNameKeys(state.folder)
  // Checked on this machine only: creating a key needs no network.
  if (label !== undefined) await requireFreeLabel(context, undefined, label)
  const password = flag(values, 'encrypt')
    ? await prompt.password('Choose a password for this key', { twice: true })
    : undefined
  await keys.add(source, { label: label ?? null, password })
  output.result({ name: source.name, label: label ?? null, key: 'here' }, source.name)
  output.note(
    `Its key is stored only in ${state.folder}/names. Back it up with \`cairn name export\`. Publish: cairn name publish ${quote(label ?? source.name)} <cid>`,
  )
}

/**
 * Prints the key of a name, or writes it to a file.
 * @throws CairnError FILE_EXISTS, USAGE
 */
export async function exportKey(context: CommandContext): Promise<void> {
  const { session, output, values, prompt, signal } = context
  const format = text(values, 'format') ?? 'pem'
  if (format !== 'pem' && format !== 'libp2p') {
    throw new CairnError('USAGE', { message: `Unknown format "${format}". Use pem or libp2p` })
  }
  const found = await findName(context, argument(context, 1, 'a name'))
  const key =
    found.place === 'here'
      ? await exportNameKey(await openKept(found.kept, prompt), format)
      : (await exportName(await session.client(), found.name, { format, signal })).key
  const path = text(values, 'output')
  if (path === undefined) {
    output.result({ name: found.name, format, key }, key.trimEnd().split('\n'))
  } else {
    await writePrivateFile(path, format === 'pem' ? key : Buffer.from(key, 'base64'))
    output.result({ name: found.name, format, path }, path)
  }
  output.note('Anyone with this key can publish to the name. Store it like a password.')
}

/**
 * Reads a key from a file and stores it.
 * @throws CairnError INVALID_NAME_KEY, FILE_UNREADABLE
 */
export async function importKey(context: CommandContext): Promise<void> {
  const path = argument(context, 1, 'a key file, or - for standard input')
  const label = readLabel(context, 2)
  await keepKey(context, await importNameKey(await readKeyFile(path, context)), label)
}
