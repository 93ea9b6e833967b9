import { CairnError, createGatewayLink } from '@cairn/sdk'
import { type Command, text } from '../command.ts'
import { findContent } from '../content-path.ts'
import { parseDuration } from '../durations.ts'

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
    const expires = text(values, 'expires')
    const expiresInSeconds = expires === undefined ? undefined : Math.floor(parseDuration(expires) / 1000)
    if (expiresInSeconds === 0) throw new CairnError('USAGE', { message: '--expires must be a second or more' })
    const cidPath = `${await findContent(context, cid)}/${path}`
    const link = await createGatewayLink(await session.client(), cidPath, {
      signal,
      ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
    })
    output.result(link, [link.url, `Expires  ${new Date(link.expiresAt).toISOString()}`], link.url)
    if (link.isPrivate === false)
      output.note(
        'This upload is not private: anyone who knows its CID can fetch it without the link, also after it expires. Use upload --private.',
      )
    else output.note('Anyone who has the link can open it until then. It ends earlier if you delete the upload.')
  },
}
