import { maxGatewayLinkSeconds } from '@cairn/protocol'
import { createGatewayLink } from '@cairn/sdk'
import { readDuration } from '../arguments/durations.ts'
import type { Command } from '../command.ts'
import { findContent } from '../content-path.ts'
import { formatTime } from '../text/times.ts'

export const gatewayLink: Command = {
  name: 'gateway-link',
  summary: 'Sign a link that opens a private upload in any browser until it expires',
  usage: '<cid[/path]> [path]',
  arity: [1, 2],
  options: {
    expires: { type: 'string', about: 'lifetime, at most 7d (1h)', value: 'duration' },
  },
  examples: [
    'cairn upload --private invoice.pdf',
    'cairn gateway-link bafy…',
    'cairn gateway-link bafy…/docs/readme.md --expires 10m',
    'curl -O "$(cairn gateway-link bafy… --quiet)"',
  ],
  async run(context) {
    const { args, values, output, session, signal } = context
    const [cid = '', path = ''] = args
    const lifetimeMs = readDuration(values, 'expires', { minMs: 1000, maxMs: maxGatewayLinkSeconds * 1000 })
    const cidPath = `${await findContent(context, cid)}/${path}`
    const link = await createGatewayLink(await session.client(), cidPath, {
      signal,
      ...(lifetimeMs === undefined ? {} : { expiresInSeconds: lifetimeMs / 1000 }),
    })
    output.result(link, [link.url, `Expires  ${formatTime(link.expiresAt)}`], link.url)
    if (link.isPrivate === false)
      output.note(
        'This upload is not private: anyone who knows its CID can fetch it without the link, even after the link expires. Use upload --private.',
      )
    else output.note('Anyone who has the link can open it until then. It ends earlier if you delete the upload.')
  },
}
