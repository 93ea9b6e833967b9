import { getQuotaReport, listFilesPage } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { buildUsageHistory } from './usage-history.ts'

/** Files that the picture is drawn from: one page of the listing. */
const filesMost = 2000

/** What the account may store and why, and how that came about. */
export function useUsageHistory(session: Session) {
  const client = useClient()
  return useQuery({
    // Whatever changes the usage changes this, too.
    queryKey: ['usage', session.address, 'history'],
    queryFn: async ({ signal }) => {
      const [quota, { fileList, totalFiles }] = await Promise.all([
        getQuotaReport(client, { signal }),
        listFilesPage(client, { limit: filesMost }, { signal }),
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
