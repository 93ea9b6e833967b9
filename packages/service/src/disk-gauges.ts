import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { addMeasuredGauge, type MeasuredGaugeParts } from './measured-gauge.ts'
import { errnoOf } from './objects/file-errors.ts'

/**
 * Measures, when the metrics are read, the disks of these folders.
 * @param folders paths by the name of the folder in the metrics
 */
export function addDiskGauges(parts: MeasuredGaugeParts, folders: Readonly<Record<string, string>>): void {
  const add = (name: string, help: string, blocksOf: (disk: StatsFs) => number) => {
    const measure = async (path: string): Promise<number> => {
      const disk = await statDisk(path)
      return blocksOf(disk) * disk.bsize
    }
    const measures = Object.entries(folders).map(([folder, path]) => [folder, () => measure(path)] as const)
    addMeasuredGauge(parts, { name, help, label: 'folder' }, Object.fromEntries(measures))
  }
  add('cairn_disk_free_bytes', 'Free space of the disk that contains a folder', ({ bavail }) => bavail)
  add('cairn_disk_size_bytes', 'Size of the disk that contains a folder', ({ blocks }) => blocks)
}

/** Measures the disk that contains a folder, or would: with PostgreSQL and S3, nothing creates the home. */
async function statDisk(path: string): Promise<StatsFs> {
  try {
    return await statfs(path)
  } catch (error) {
    const parent = dirname(path)
    if (errnoOf(error) !== 'ENOENT' || parent === path) throw error
    return statDisk(parent)
  }
}
