import { getQuotaReport, listFilesPage } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { buildUsageHistory } from './usage-history.ts'

/** Number of files in the chart: one page of the listing. */
const maxFiles = 2000

/** Returns the storage limit with its sources and history. */
export function useUsageHistory(session: Session) {
  const client = useClient()
  return useQuery({
    // Invalidated together with the usage.
    queryKey: ['usage', session.address, 'history'],
    queryFn: async ({ signal }) => {
      const [quota, { fileList, totalFiles }] = await Promise.all([
        getQuotaReport(client, { signal }),
        listFilesPage(client, { limit: maxFiles }, { signal }),
      ])
      const changes = [
        ...quota.entries.map(({ at, bytes }) => ({ at, limitBytes: bytes })),
        ...fileList.map(({ createdAt, fileSizeInBytes }) => ({ at: createdAt, usedBytes: Number(fileSizeInBytes) })),
      ]
      const points = buildUsageHistory({
        usedBytes: quota.usedBytes,
        limitBytes: quota.limitBytes,
        changes,
        now: Date.now(),
      })
      return { quota, points, isPart: totalFiles > fileList.length, drawnFrom: fileList.length }
    },
  })
}
