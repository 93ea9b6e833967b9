import { type Client, createClient } from '../client.ts'
import { lighthouseConfig } from './config.ts'

/** Creates a client from the current hosts, which callers may change between calls. */
export function clientOf(apiKey?: string): Client {
  const { lighthouseAPI, lighthouseNode, lighthouseGateway } = lighthouseConfig
  const network = { name: 'lighthouse', api: lighthouseAPI, upload: lighthouseNode, gateway: lighthouseGateway }
  return createClient(apiKey === undefined ? { network } : { network, apiKey })
}
