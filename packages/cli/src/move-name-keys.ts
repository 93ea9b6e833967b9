import { CairnError, exportName, exportNameKey, importNameKey, type NameKey } from '@cairn/sdk'
import { flag, type Surroundings, text } from './command.ts'
import { findName, requireFreeLabel } from './find-name.ts'
import { argument, quote, readLabel } from './name-arguments.ts'
import { readKeyFile, writeKeyFile } from './name-files.ts'
import { openKept, openNameKeys } from './name-keys.ts'

/** Keeps a key on this machine. @throws CairnError FILE_EXISTS where the key or the label is there already */
export async function keepKey(surroundings: Surroundings, source: NameKey, label: string | undefined): Promise<void> {
  const { state, prompt, output, values } = surroundings
  const keys = openNameKeys(state.folder)
  // Nobody else is asked: a key can be made without any network.
  if (label !== undefined) await requireFreeLabel(surroundings, undefined, label)
  const password = flag(values, 'encrypt')
    ? await prompt.password('Choose a password for this key', { twice: true })
    : undefined
  await keys.add(source, { label: label ?? null, password })
  output.result({ name: source.name, label: label ?? null, key: 'here' }, source.name)
  output.note(
    `Its key is in ${state.folder}/names and nowhere else: back it up with \`cairn name export\`. Publish: cairn name publish ${quote(label ?? source.name)} <cid>`,
  )
}

/** Shows the key of a name, or writes it to a file. @throws CairnError FILE_EXISTS, USAGE */
export async function exportKey(surroundings: Surroundings): Promise<void> {
  const { session, output, values, prompt, signal } = surroundings
  const format = text(values, 'format') ?? 'pem'
  if (format !== 'pem' && format !== 'libp2p') {
    throw new CairnError('USAGE', { message: `There is no format "${format}": pem or libp2p` })
  }
  const found = await findName(surroundings, argument(surroundings, 1, 'a name'))
  const key =
    found.place === 'here'
      ? await exportNameKey(await openKept(found.kept, prompt), format)
      : (await exportName(await session.client(), found.name, { format, signal })).key
  const path = text(values, 'output')
  if (path === undefined) {
    output.result({ name: found.name, format, key }, key.trimEnd().split('\n'))
  } else {
    await writeKeyFile(path, format === 'pem' ? key : Buffer.from(key, 'base64'))
    output.result({ name: found.name, format, path }, path)
  }
  output.note('Whoever has this key can publish the name: keep it where secrets are kept.')
}

/** Reads a key from a file and keeps it. @throws CairnError INVALID_NAME_KEY, FILE_UNREADABLE */
export async function importKey(surroundings: Surroundings): Promise<void> {
  const path = argument(surroundings, 1, 'the file of a key, or - for standard input')
  const label = readLabel(surroundings, 2)
  await keepKey(surroundings, await importNameKey(await readKeyFile(path, surroundings)), label)
}
