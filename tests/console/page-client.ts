// The account of a page, for the SDK.
import { type Client, createClient } from '@cairn/sdk'
import type { ConsolePage, ConsoleTest } from './console.fixture.ts'

/** Returns a client with the API key that the page keeps. */
export async function createPageClient(site: ConsoleTest, page: ConsolePage['page']): Promise<Client> {
  const kept: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  const { apiKey }: { apiKey: string } = JSON.parse(kept)
  return createClient({ network: site.network.profile, apiKey })
}
