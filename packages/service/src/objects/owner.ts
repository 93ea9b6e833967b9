import type { ObjectStore } from './objects.ts'

/** Prefix of the single object whose name is the id of the database that owns the objects. */
export const ownerPrefix = 'owner/'

/** Returns the ids of the databases that own the objects of a store. */
export async function listOwners(objects: ObjectStore): Promise<string[]> {
  const keys = await Array.fromAsync(objects.list(ownerPrefix))
  return keys.map((key) => key.slice(ownerPrefix.length))
}

/** Assigns the objects of a store to a database. */
export async function writeOwner(objects: ObjectStore, name: string): Promise<void> {
  const key = ownerPrefix + name
  const writer = await objects.create(key)
  try {
    await writer.append([Buffer.from(`${name}\n`)])
    await writer.finish()
  } catch (error) {
    await writer.abort()
    // Another replica of the same database was faster.
    if ((await objects.size(key)) === undefined) throw error
  }
  await objects.confirm(key)
}
