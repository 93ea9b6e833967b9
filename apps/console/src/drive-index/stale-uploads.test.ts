import { expect, test } from 'vitest'
import { markUploadsStale, reloadDrive } from './stale-uploads.ts'

test('lists all uploads again after a rename, even if the first attempt fails', async () => {
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
