import type { Client, NetworkProfile } from '@cairn/sdk'
import { gatewayUrl } from '../network/gateway-url.ts'
import { expectDownload } from '../transfers/expected-download.ts'
import { type ContentPlace, findContentUrl } from './content-url.ts'

/**
 * Opens content of the gateway in a new tab. Browsers open one within a click only, so that the tab for private content opens
 * first, empty, and waits for its signed link. What opens never reaches this page.
 * @returns the signed link if the browser blocked the tab: users open it with a click on it
 * @throws CairnError if the link cannot be signed; the tab is closed then
 */
export async function openContent(
  client: Client,
  network: NetworkProfile,
  { cidPath, isPrivate }: ContentPlace,
  filename: string,
): Promise<string | undefined> {
  if (!isPrivate) {
    window.open(gatewayUrl(network, cidPath, { filename }), '_blank', 'noopener,noreferrer')
    return undefined
  }
  const tab = window.open('', '_blank')
  if (tab !== null) tab.opener = null
  try {
    const url = await findContentUrl(client, network, { cidPath, isPrivate }, { filename })
    if (tab === null) return url
    tab.location.replace(url)
    return undefined
  } catch (error) {
    tab?.close()
    throw error
  }
}

/** Saves a file. The gateway answers with a download, so the page stays open. */
export async function saveContent(
  client: Client,
  network: NetworkProfile,
  { cidPath, isPrivate }: ContentPlace,
  filename: string,
): Promise<void> {
  const options = { download: true, filename }
  if (isPrivate) {
    const url = await findContentUrl(client, network, { cidPath, isPrivate }, options)
    expectDownload()
    location.assign(url)
  } else window.open(gatewayUrl(network, cidPath, options), '_blank', 'noopener,noreferrer')
}
