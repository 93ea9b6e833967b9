import { forEachOf } from '@cairn/protocol'

/** Files of a folder that are fetched at a time, if each takes a request. */
const filesAtOnce = 8

/**
 * Saves each file of a folder, some at a time. The first failure aborts the signal that `save` receives.
 * @throws that failure
 */
export async function forEachFile<T extends { readonly name: string }>(
  files: readonly T[],
  signal: AbortSignal | undefined,
  save: (file: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const saveOne = async (file: T): Promise<void> => {
    try {
      await save(file, ended)
    } catch (error) {
      stop.abort(error)
      throw error
    }
  }
  // `a` is written to `a.part`, so it must be complete before a file with that name, which is always longer.
  const isPart = ({ name }: T) => name.endsWith('.part')
  await forEachOf(
    files.filter((file) => !isPart(file)),
    filesAtOnce,
    saveOne,
  )
  await forEachOf(
    files.filter(isPart).sort((one, other) => one.name.length - other.name.length),
    1,
    saveOne,
  )
}
