import { CairnError, listNames as listAccountNames, resolveName } from '@cairn/sdk'
import { collect } from './collect.ts'
import type { Export } from './export-context.ts'
import { nameRow } from './format.ts'
import type { ListWriter } from './list-file.ts'
import { readEarlier } from './open-archive.ts'

/** Writes the names of the account with their signed records, and their sealed keys. */
export async function exportNames(context: Export, names: ListWriter, keys: ListWriter | undefined): Promise<void> {
  const { client, seal, sealed, signal, nameKeys } = context
  const addKey = async (name: string, keyHeld: 'service' | 'owner'): Promise<void> => {
    if (seal === undefined || keys === undefined) return
    const known = sealed.get(name)
    if (known !== undefined) return keys.add(known)
    if (nameKeys === undefined) return
    await collect(context, 'name key', name, async () => {
      const key = await nameKeys.find(name, keyHeld)
      if (key === undefined) throw new CairnError('NAME_KEY_WITH_OWNER')
      await keys.add({ kind: 'name key', name, sealed: seal.close(key, name) })
    })
  }
  const labels = new Map<string, string | null>()
  for await (const { name, label } of readEarlier(context.folder, 'names', nameRow)) labels.set(name, label)
  const listed = new Set<string>()
  for await (const { name, label, value, sequence, validUntil, keyHeld } of listAccountNames(client, { signal })) {
    const record =
      value === null
        ? undefined
        : await collect(
            context,
            'name',
            name,
            async () => (await resolveName(client, name, { recursive: false, signal })).records[0],
          )
    listed.add(name)
    await names.add({
      name,
      label,
      value,
      sequence,
      validUntil: validUntil === null ? null : new Date(validUntil).toISOString(),
      record: record === undefined ? null : Buffer.from(record.bytes).toString('base64'),
    })
    await addKey(name, keyHeld)
  }
  if (keys === undefined) return
  const kept = [...sealed.values()].flatMap((row) =>
    row.kind === 'name key' ? [{ name: row.name, label: labels.get(row.name) ?? null }] : [],
  )
  for (const { name, label } of [...((await nameKeys?.listOwn()) ?? []), ...kept]) {
    if (listed.has(name)) continue
    listed.add(name)
    await names.add({ name, label, value: null, sequence: null, validUntil: null, record: null })
    await addKey(name, 'owner')
  }
}
