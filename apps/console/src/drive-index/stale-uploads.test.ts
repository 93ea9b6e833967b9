import { expect, test } from 'vitest'
import { markUploadsStale, reloadDrive } from './stale-uploads.ts'

test('all uploads are listed again after one was renamed, also if the first try fails', async () => {
  const listings: string[] = []
  let failure: Error | undefined
  const drive = {
    reload: async ({ isQuick }: { isQuick?: boolean } = {}) => {
      listings.push(isQuick === true ? 'new ones' : 'all')
      if (failure !== undefined) throw failure
    },
  }
  const reload = () => reloadDrive(drive, new AbortController().signal)
  await reload()
  markUploadsStale()
  failure = new Error('another try took its place')
  await expect(reload()).rejects.toThrow(failure)
  failure = undefined
  await reload()
  await reload()
  expect(listings).toEqual(['new ones', 'all', 'all', 'new ones'])
})
