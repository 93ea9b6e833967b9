import { list, onOff, optional, type SettingValues, text, url } from '@cairn/service'

/** Settings of those that are notified of stored content: indexers, and a Kubo of the operator. */
export const announcementSettings = {
  CAIRN_IPNI_INDEXERS: {
    about:
      'Comma-separated URLs of indexers (IPNI) that content is announced to (docs/how-to/ipfs-network.md). Requires public URLs of the API and the gateway without a path. When empty, nothing is announced.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_IPNI_DEFAULT: {
    about:
      'on announces unencrypted uploads unless the uploader chose otherwise. off announces only uploads that request it.',
    fallback: 'on',
    read: onOff,
  },
  CAIRN_KUBO_RPC_URL: {
    about:
      'Base URL of the RPC API of your Kubo, or of the proxy of your IPFS Cluster, that stores and pins announced content (docs/how-to/ipfs-network.md). When empty, nothing is handed over.',
    fallback: '',
    read: optional(url),
  },
  CAIRN_KUBO_RPC_AUTHORIZATION: {
    about: 'Value of the header Authorization of these calls, such as Bearer … or Basic ….',
    fallback: '',
    read: optional(text),
  },
}

/** Those that are notified of stored content: indexers, and a Kubo of the operator. */
export type AnnouncementConfig = {
  /** The operator's Kubo, which announced content is handed to. */
  readonly kubo: { readonly url: string; readonly authorization: string | undefined } | undefined
  /** Indexers that content is announced to, and whether unencrypted uploads are if they do not choose. */
  readonly ipni: { readonly indexers: readonly string[]; readonly announcesByDefault: boolean }
}

export function readAnnouncementConfig(values: SettingValues<typeof announcementSettings>): AnnouncementConfig {
  return {
    kubo:
      values.CAIRN_KUBO_RPC_URL === undefined
        ? undefined
        : { url: values.CAIRN_KUBO_RPC_URL, authorization: values.CAIRN_KUBO_RPC_AUTHORIZATION },
    ipni: { indexers: values.CAIRN_IPNI_INDEXERS, announcesByDefault: values.CAIRN_IPNI_DEFAULT },
  }
}
