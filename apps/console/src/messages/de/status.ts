import { formatBytes, formatCount } from '../format.ts'
import type { Texts } from '../texts.ts'
import { plural } from './plural.ts'

/** The status page of the network. */
export const status: Texts['status'] = {
  hint: (network) => `Teile des Netzwerks „${network}“, wie dieser Browser sie sieht.`,
  good: 'Alles in Betrieb',
  goodHint: (count) =>
    plural(count, { one: 'Der einzige Teil antwortet.', other: `Alle ${formatCount(count)} Teile antworten.` }),
  degraded: 'Teilweise gestört',
  down: 'Schwer gestört',
  checking: 'Alle Teile werden geprüft',
  keysPart: (up) => `${formatCount(up)} von 5 Schlüsselknoten ${plural(up, { one: 'antwortet', other: 'antworten' })}.`,
  keysRead: 'Verschlüsselte Dateien lassen sich öffnen; Freigaben und andere Änderungen brauchen alle fünf.',
  keysDown: 'Verschlüsselte Dateien lassen sich erst öffnen, wenn drei antworten.',
  storageDown: 'Uploads und Listen sind gerade nicht verfügbar.',
  gatewayDown: 'Dateien lassen sich gerade nicht öffnen.',
  chainDown: 'Zahlungen sind gerade nicht verfügbar.',
  providersDown: 'Anbieter, die offline sind, senden keine neuen Nachweise.',
  storage: 'Speicherdienst',
  gateway: 'Gateway',
  chain: (name) => `Chain ${name}`,
  keyNodes: 'Schlüsselknoten',
  keyNode: (number) => `Schlüsselknoten ${number}`,
  providers: 'Speicheranbieter',
  provider: (number) => `Anbieter ${number}`,
  services: 'Dienste',
  online: 'Online',
  offline: 'Offline',
  latency: (ms) => `${formatCount(Math.max(1, Math.round(ms)))} ms`,
  version: (version) => `Version ${version}`,
  block: (block) => `Block ${block}`,
  clock: (ms) => `Uhr weicht um ${formatCount(Math.round(ms / 1000))} s ab`,
  wrongNode: (number) => `antwortet als Knoten ${number}`,
  wrongChain: (chainId) => `ist Chain ${chainId}`,
  capacity: (used, capacity) => `${formatBytes(used)} von ${formatBytes(capacity)} belegt`,
  lastError: (text, when) => `Letzter Fehler ${when}: ${text}`,
  checkedAt: (when) => `Geprüft ${when}. Geprüft wird alle 15 Sekunden.`,
  again: 'Noch einmal prüfen',
  timedOut: 'keine Antwort innerhalb von 8 Sekunden',
}
