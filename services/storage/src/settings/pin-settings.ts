import { list, onOff, type SettingValues, url, whole } from '@cairn/service'

/** Settings: pins of content from elsewhere. */
export const pinSettings = {
  CAIRN_PIN_GATEWAYS: {
    about: 'Comma-separated base URLs of the trustless gateways that pins are fetched from.',
    fallback: '',
    read: (value: string) => list(value).map(url),
  },
  CAIRN_PIN_PRIVATE_ORIGINS: {
    about:
      'on allows pin origins with private addresses (10.0.0.1, localhost), as on a local network. off allows only public addresses.',
    fallback: 'off',
    read: onOff,
  },
  CAIRN_MAX_OPEN_PINS: {
    about: 'Maximum number of unfinished pins of the Pinning Service API per account.',
    fallback: '1000',
    read: whole(0, 1_000_000),
  },
}

/** Pins of content from elsewhere. */
export type PinConfig = {
  /** Base URLs of gateways that pins are fetched from. */
  readonly pinGateways: readonly string[]
  /** Whether origins of pins may have private addresses. */
  readonly allowsPrivateOrigins: boolean
  /** Unfinished pins that one account may have. */
  readonly maxOpenPins: number
}

export function readPinConfig(values: SettingValues<typeof pinSettings>): PinConfig {
  return {
    pinGateways: values.CAIRN_PIN_GATEWAYS,
    allowsPrivateOrigins: values.CAIRN_PIN_PRIVATE_ORIGINS,
    maxOpenPins: values.CAIRN_MAX_OPEN_PINS,
  }
}
