import { Session } from 'node:inspector/promises'

/**
 * Counts how often the blocks of the sources in a folder run during some work, including loops: a measure of work that does not
 * depend on the load of the machine. Work inside the engine, such as copying an array, does not count.
 */
export async function countWork(folder: URL, work: () => unknown): Promise<number> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ranges = result
      .filter(({ url }) => url.startsWith(folder.href))
      .flatMap(({ functions }) => functions.flatMap((one) => one.ranges))
    return ranges.reduce((sum, { count }) => sum + count, 0)
  } finally {
    session.disconnect()
  }
}
